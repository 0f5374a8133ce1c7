"""What markitdown makes of every file of a folder, as JSON; run by a Python that has it.

PYTHON benchmarks/formats/peer.py FOLDER
"""

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

ROUNDS = 3


def main() -> None:
    # Only there in the peer's Python.
    peer: Any = import_module("markitdown").MarkItDown()
    read: dict[str, tuple[float, str]] = {}
    for path in sorted(Path(sys.argv[1]).iterdir()):
        spent, text = [], ""
        for _ in range(ROUNDS):
            start = time.process_time()
            try:
                text = str(peer.convert(str(path)).text_content)
            except Exception as error:  # a peer may fail in any way, which is a result
                text = f"({type(error).__name__})"
            spent.append(time.process_time() - start)
        read[path.name] = min(spent), text
    print(json.dumps(read))


if __name__ == "__main__":
    main()
