"""Conversion in processes that can be killed: a page may hang, crash or eat a worker, never us.

``pool.Workers`` is the way in. Nothing is imported here, because every worker loads this too.
"""
