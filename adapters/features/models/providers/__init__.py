"""Model providers: one file each, with everything that only this provider does.

A file defines its providers at the top level (``MINE = Provider(...)``) and is discovered; there is
no list to add it to. See docs/providers.md.
"""
