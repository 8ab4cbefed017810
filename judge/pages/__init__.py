"""Record files as one page for a browser: what it has of a record, and its HTML; assets/ is the page's program."""
