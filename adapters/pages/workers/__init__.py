"""Convert pages in processes that can be killed: a page may hang or crash only its worker.

Start with ``pool.Workers``. Nothing is imported here, because every worker loads this too.
"""
