"""Commands on games that were played before."""
