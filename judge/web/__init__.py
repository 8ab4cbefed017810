"""Games in a browser: the page of recorded games, which is one HTML file, and the local application `dropfour serve`.

With the application a user browses records, watches running games and plays. assets/view has the JavaScript modules of
the record page, and in view/vendor the library Preact that they use. The application uses these modules too, and adds
the modules in assets/serve.
"""
