"""The site of the documentation: what MkDocs, which mkdocs.yml tells what to do, does not know of this repository."""
