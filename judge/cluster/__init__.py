"""Games on other machines: the workers of a dask.distributed cluster play whole pairs and return the records.

Needs the extra `cluster`. Each worker runs this same code and judges its games itself.
"""
