"""Games in a browser: the page of a record, which is one HTML file, and `dropfour serve`, a local application.

With the application one browses records, watches running games and plays. assets/view has the JavaScript modules of the
record page, assets/serve those that the application adds.
"""
