"""`dropfour serve`: a local web application to browse, watch and play; assets/ are its pages' JavaScript modules."""
