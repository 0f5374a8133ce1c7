"""What markitdown makes of files, as JSON; run by a Python that has it.

PYTHON benchmarks/formats/peer.py ROUNDS < a JSON list of files
"""

import json
import logging
import signal
import sys
import time
import warnings
from importlib import import_module
from typing import Any

PATIENCE = 30


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    signal.signal(signal.SIGALRM, _give_up)
    # Only there in the peer's Python.
    peer: Any = import_module("markitdown").MarkItDown()
    read: list[tuple[float, str]] = []
    for path in json.load(sys.stdin):
        spent, text = [], ""
        for _ in range(int(sys.argv[1])):
            start = time.process_time()
            signal.alarm(PATIENCE)
            try:
                text = str(peer.convert(path).text_content)
            except Exception:  # a peer may fail in any way, which is a result
                text = ""
            finally:
                signal.alarm(0)
            spent.append(time.process_time() - start)
        read.append((min(spent), text))
    print(json.dumps(read))


def _give_up(*_: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
