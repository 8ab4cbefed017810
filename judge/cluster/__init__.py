"""Games on other machines: the workers of a dask.distributed cluster play whole pairs and return the records.

The package needs the extra `cluster`. Each worker runs the same code as this program, and judges its games itself.
"""
