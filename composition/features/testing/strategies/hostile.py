"""Hostile values: broken fields, objects that lie about their type, and exceptions."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

import msgspec
from hypothesis import strategies as st

Fields = dict[str, object]


def break_field(
    records: st.SearchStrategy[Fields], breaks: Mapping[object, st.SearchStrategy[object]]
) -> st.SearchStrategy[Fields]:
    """Give fields of which one has a value from ``breaks``."""
    return st.one_of(
        [
            st.builds(_replace_hostile_field, records, st.just(field), values)
            for field, values in breaks.items()
        ]
    )


def drop_field(rows: st.SearchStrategy[Fields], *fields: str) -> st.SearchStrategy[Fields]:
    """Give fields without one of the named ones."""
    return st.builds(_remove_hostile_field, rows, st.sampled_from(fields))


def lone_surrogates() -> st.SearchStrategy[str]:
    """Give text that cannot be encoded as UTF-8."""
    return st.builds("{}{}".format, st.text(max_size=5), st.characters(categories=["Cs"]))


def _replace_hostile_field(record: Fields, field: str, value: object) -> Fields:
    return {**record, field: value}


def _remove_hostile_field(record: Fields, field: str) -> Fields:
    return {name: value for name, value in record.items() if name != field}


class LyingText(str):
    """A str whose methods return wrong values."""

    __slots__ = ()

    def __str__(self) -> str:
        return "javascript:alert(1)"

    def __len__(self) -> int:
        return 1

    def __eq__(self, _other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __contains__(self, _part: object) -> bool:
        return False


class RaisingMapping(Mapping[str, object]):
    """A mapping that raises ``raises`` when a value is read."""

    def __init__(self, raises: Exception) -> None:
        self._raises = raises

    def __getitem__(self, _key: str) -> NoReturn:
        raise self._raises

    def __iter__(self) -> Iterator[str]:
        yield from ("url", "title")

    def __len__(self) -> int:
        return 2


class RaisingRows:
    """Rows that raise ``raises`` after a few good ones."""

    def __init__(self, good: list[object], raises: Exception) -> None:
        self._good, self._raises = good, raises

    def __iter__(self) -> Iterator[object]:
        yield from self._good
        raise self._raises


class Impostor:
    """An object whose ``__class__`` claims to be a ``Result``; it raises when unwrapped."""

    def __init__(self, claims: type, raises: Exception) -> None:
        """Claim to be an instance of ``claims``."""
        self._claims, self._raises = claims, raises

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self._claims

    def unwrap(self) -> NoReturn:
        """Raise instead of returning a value."""
        raise self._raises

    def failure(self) -> NoReturn:
        """Raise instead of returning an error."""
        raise self._raises


class SecretiveError(Exception):
    """An exception that raises when it is printed."""

    def __str__(self) -> NoReturn:
        raise RuntimeError

    def __repr__(self) -> NoReturn:
        raise RuntimeError

    @property
    def __traceback__(self) -> NoReturn:  # type: ignore[override]
        raise RuntimeError


class LooseRow(msgspec.Struct):
    """A row Struct whose fields hold anything."""

    url: object = None
    title: object = None
    snippet: object = ""
    published_at: object = None
    score: object = None
    origin: object = "index"


class LoosePage(msgspec.Struct):
    """A document whose fields hold anything."""

    url: object = None
    content: object = None
    title: object = ""
    final_url: object = None
    raw_content: object = None
    metadata: object = None


def exceptions() -> st.SearchStrategy[Exception]:
    """Give exceptions of many kinds, some with a key in their text, some not printable."""
    return st.sampled_from(_EXCEPTION_MAKERS).map(lambda make: make())


_EXCEPTION_MAKERS: tuple[Callable[[], Exception], ...] = (
    lambda: ValueError("bad key sk-0123456789abcdef0123"), lambda: KeyError("url"),
    lambda: OSError(5, "Input/output error"), RecursionError, MemoryError, TimeoutError,
    StopIteration, StopAsyncIteration, asyncio.InvalidStateError,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: ExceptionGroup("two", [ValueError("one"), OSError("other")]), SecretiveError,
    lambda: AssertionError("not what was expected"), type("X" * 5000, (Exception,), {}),
)  # fmt: skip
