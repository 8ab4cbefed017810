"""Gets a checkout ready to run."""
