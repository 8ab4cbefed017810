"""Games in a browser: the page of a record, one HTML file, and `dropfour serve`, a local application to browse, watch
and play.

assets/view is the page's program, JavaScript modules; assets/serve is what the application's pages have besides.
"""
