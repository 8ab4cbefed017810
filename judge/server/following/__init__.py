"""Record files that are followed: what is new in them, told once for all pages that watch."""
