"""Games in a browser: the page of a record (one HTML file), and `dropfour serve`, a local application to browse, watch
and play.

assets/view holds the JavaScript modules of the record page; assets/serve holds what the application adds.
"""
