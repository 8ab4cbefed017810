"""The judge's catalogs of messages: kept in step with the sources, and compiled."""
