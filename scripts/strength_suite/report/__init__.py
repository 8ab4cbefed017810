"""docs/results.md, made of what the runs left."""
