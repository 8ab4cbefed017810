"""The rules of connect four as kernels compute them, and what follows from them without a search."""
