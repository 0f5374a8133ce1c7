"""Where the words of an index file are: in a folder beside it."""

from pathlib import Path


def folder_of(path: Path) -> Path:
    """Return the folder that holds the words of an index file."""
    return path.with_name(f"{path.name}-words")


def words_bytes(path: Path) -> int:
    """Return how large the words of an index file are."""
    files = (each for each in folder_of(path).rglob("*") if each.is_file())
    return sum(each.stat().st_size for each in files)
