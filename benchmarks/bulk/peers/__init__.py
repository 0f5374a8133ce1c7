"""The same WARC files into a dataset: ours beside datatrove + trafilatura and Ray Data + trafilatura.

    make bench-bulk [PAGES=FOLDER]
    python -m benchmarks.bulk.peers [--pages 600] [--from FOLDER] [--processes 2] [--rounds 1] [--readers NAME ...]

Pages are those of FOLDER (``html/NAME.html.gz``, and ``ground-truth/NAME.json`` with a ``url``), or
made here. Every reader has the same files and processes, and is started anew; what it took counts
from its start to its end. Rows are counted in what it wrote. Then one process of each extractor
reads the same pages, by processor time. datatrove runs twice: with its own settings, which make plain
text, and with markdown, links and metadata, which is what ours makes. It fails when a page is no row
of ours, or ours are not five times as many a second as those of a peer that makes markdown.
"""
