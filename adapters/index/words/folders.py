"""Where the words of an index file are: in a folder beside it."""

import shutil
from pathlib import Path


def words_folder(path: Path) -> Path:
    """Return the folder that holds the words of an index file."""
    return path.with_name(f"{path.name}-words")


def words_bytes(path: Path) -> int:
    """Return how large the words of an index file are."""
    files = (each for each in words_folder(path).rglob("*") if each.is_file())
    return sum(each.stat().st_size for each in files)


def drop_words(path: Path) -> bool:
    """Take away the words of an index file, which can be made anew; tell whether there were any."""
    were_there = words_bytes(path) > 0
    shutil.rmtree(words_folder(path), ignore_errors=True)
    return were_there
