"""Many pages, fetched and read: ours beside raw httpx + trafilatura, in one run.

    python -m benchmarks.bulk [--pages 2000] [--at-once 100] [--rounds 1]

Every page must come back with the sentence that only it has. The peer with worker processes is
what somebody would write who knows that reading is work for a processor.
"""
