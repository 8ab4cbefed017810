"""The memory of the 8x8 search: where everything lies, and its kernels' views of it."""
