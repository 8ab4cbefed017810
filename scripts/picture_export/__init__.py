"""The last screen of a recorded game as an SVG file, for pages that show what `play` looks like."""
