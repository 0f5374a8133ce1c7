"""How cost grows with the input, on one machine: time, memory of all processes together, and size.

    python -m benchmarks.bulk.growth [--rows 1000 10000 100000] [--kinds pages answers urls]
    python -m benchmarks.bulk.growth --cores        # the speed of two cores beside that of one

``pages`` are small HTML pages in WARC files, each read by a worker; ``answers`` are WARC records of
status 404, which no worker sees; ``urls`` are addresses that the guard refuses, each of another
host; ``files`` are pages in a folder. Each run is a process of its own, as somebody would type it,
then ``duplicates`` looks at what it wrote. Memory is the largest sum over all its processes of what
they hold, pages that they share counted once (Linux: ``Pss`` of ``/proc/PID/smaps_rollup``).

It fails when a row is missing, or a run holds 400 MB or more.
"""
