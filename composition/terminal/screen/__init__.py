"""How results look to a person at a terminal: bold, dim, a few colours, wrapped to the width.

Drawn by hand, because a cached search has no time to load a library; only pages, which are
markdown, are rendered by rich.
"""
