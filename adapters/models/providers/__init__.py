"""Model providers: one file each, with everything that is special about it.

A file names its providers at the top level (``MINE = Provider(...)``) and is found by itself;
there is no list to add it to. See docs/providers.md.
"""
