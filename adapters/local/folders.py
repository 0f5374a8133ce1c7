"""Folders: which files in them are documents."""

import os
from collections.abc import Iterator
from pathlib import Path

DOCUMENT_ENDINGS = (
    "md", "markdown", "mdx", "txt", "text", "rst", "html", "htm", "xhtml", "pdf", "docx", "pptx",
    "xlsx", "ipynb",
)  # fmt: skip
_SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))


def documents_in(path: Path) -> Iterator[Path]:
    """Yield the documents in a folder and below, in a fixed order; a file is its own document.

    Hidden files and folders are left out, and so is what a link to a folder leads to.
    """
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if _is_seen(name))
        for name in sorted(files):
            if _is_seen(name) and name.rpartition(".")[2].lower() in DOCUMENT_ENDINGS:
                yield Path(folder, name)


def _is_seen(name: str) -> bool:
    return not name.startswith(".") and name not in _SKIPPED
