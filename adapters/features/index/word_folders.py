"""The folder beside an index file that holds its words."""

from pathlib import Path


def words_folder(path: Path) -> Path:
    """Return the folder of an index file's words."""
    return path.with_name(f"{path.name}-words")


def words_bytes(path: Path) -> int:
    """Return the size in bytes of an index file's words."""
    files = (path for path in words_folder(path).rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files)


def drop_index_words(path: Path) -> bool:
    """Delete the words of an index file, which can be rebuilt; tell whether there were any."""
    had_words = words_bytes(path) > 0
    from shutil import rmtree  # noqa: PLC0415  it loads three compressors

    rmtree(words_folder(path), ignore_errors=True)
    return had_words
