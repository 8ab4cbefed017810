"""The words of `python -m bot`, and its commands beside playing."""
