"""The learnt weights, and which squares they are of."""
