"""Games as other programs log them: a file for each format, which reads it and perhaps writes it; all judged again."""
