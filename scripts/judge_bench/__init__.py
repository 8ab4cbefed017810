"""What the judge itself costs."""
