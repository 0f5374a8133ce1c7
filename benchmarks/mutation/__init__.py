"""Break the kernel on purpose, one small change at a time, and count what the tests notice.

``python -m benchmarks.mutation [FILE ...]``. Nothing is written into the tree: a changed module is
only ever in the memory of the process that tries it. Each change is tried on the tests that run the
changed line, the quick ones first, so that a whole run takes an hour and not a day.
"""
