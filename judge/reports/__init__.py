"""What runs add up to, as tables and files."""
