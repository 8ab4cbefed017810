"""The rules of reversi as kernels compute them."""
