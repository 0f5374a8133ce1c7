"""Break the kernel or a room on purpose, one change at a time, and count what the tests notice.

``python -m benchmarks.mutation [--room ROOM] [--sample N] [FILE ...]``. A room is broken in all its
folders and tried on the tests that ``tests/rooms.py`` lists for it. Nothing is written into the tree: a changed module is
only ever in the memory of the process that tries it. Each change is tried on the tests that run the
changed line, the quick ones first, so that a whole run takes an hour and not a day.
"""
