"""The rules of dots and boxes as kernels compute them: edges, boxes, chains, turns."""
