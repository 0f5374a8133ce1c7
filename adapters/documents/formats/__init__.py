"""Everything a server may send that is not HTML, one small file each.

Nothing is imported here: a process that only looks at content types need not load the readers.
"""
