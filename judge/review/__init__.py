"""Every position of a recorded game put to an engine: its answers, kept in a file, and the mistakes that they show."""
