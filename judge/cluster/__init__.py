"""Games on other machines: whole pairs go to the workers of a dask.distributed cluster, and records come back.

Needs the extra `cluster`. Workers run this same code, as its own judge of their games.
"""
