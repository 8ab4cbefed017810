"""A deep network for connect four: what makes it, measures it and plays it. Needs the extra `train`."""
