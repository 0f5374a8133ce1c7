"""Hostile values: broken fields, objects that lie about their type, and exceptions."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

import msgspec
from hypothesis import strategies as st
from returns.result import Failure, Success

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


class RaisingClass:
    """A value that raises when ``isinstance`` asks for its class."""

    @property  # type: ignore[misc]
    def __class__(self) -> NoReturn:  # type: ignore[override]
        raise RuntimeError


class _RaisingName(type):
    @property
    def __name__(cls) -> NoReturn:  # type: ignore[override]
        raise RuntimeError


class _NumberName(type):
    __name__ = 7  # type: ignore[assignment]


# Made in a function: whoever looks through this module for doctests asks each class for its name.
def _raising_type_name() -> object:
    """Return a value whose type raises when it is asked for its name."""

    class RaisingTypeName(metaclass=_RaisingName):
        pass

    return RaisingTypeName()


def _number_type_name() -> object:
    """Return a value whose type has a number for a name."""

    class NumberTypeName(metaclass=_NumberName):
        pass

    return NumberTypeName()


class RaisingMethods:
    """A value that raises at whatever is done with it."""

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError

    __getattr__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = __next__ = _raise
    __str__ = __repr__ = __int__ = __float__ = __index__ = __lt__ = __gt__ = __le__ = _raise
    __ge__ = __call__ = __await__ = __getitem__ = __contains__ = __add__ = __radd__ = _raise


class RaisingDict(dict[str, object]):
    """A dict that raises when it is read by its own methods."""

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError

    __iter__ = __getitem__ = __contains__ = items = keys = values = get = _raise


class RaisingList(list[object]):
    """A list that raises when it is read by its own methods."""

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError

    __iter__ = __getitem__ = __len__ = __contains__ = _raise


class RaisingNumber(int):
    """A number that raises when it is compared or computed with."""

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError

    __lt__ = __gt__ = __le__ = __ge__ = __eq__ = __hash__ = __add__ = __repr__ = _raise
    bit_length = _raise


def _endless_list() -> list[object]:
    items: list[object] = []
    items.append(items)
    return items


def _endless_dict() -> dict[str, object]:
    fields: dict[str, object] = {}
    fields["query"] = fields
    return fields


def _deep_list() -> list[object]:
    items: list[object] = []
    for _ in range(5000):
        items = [items]
    return items


def _raise_always(*_: object) -> NoReturn:
    raise RuntimeError


def hostile_values() -> dict[str, object]:
    """Return values that no caller and no backend should give, by their names."""
    return {
        "none": None,
        "true": True,
        "nan": float("nan"),
        "infinite": float("inf"),
        "negative": -1,
        "huge": 10**5000,
        "huge negative": -(10**5000),
        "big": 10**400,
        "complex": 1j,
        "bytes": b"q",
        "empty": "",
        "surrogate": "\ud800",
        "text": "q",
        "lying text": LyingText("q"),
        "lying url": LyingText("https://a.example/page"),
        "raising class": RaisingClass(),
        "raising name": _raising_type_name(),
        "number name": _number_type_name(),
        "raising methods": RaisingMethods(),
        "raising mapping": RaisingMapping(RuntimeError()),
        "raising dict": RaisingDict(query="q"),
        "raising list": RaisingList(["q"]),
        "raising rows": RaisingRows([], RuntimeError()),
        "raising number": RaisingNumber(7),
        "raising function": _raise_always,
        "false success": Impostor(Success, RuntimeError()),
        "false failure": Impostor(Failure, RuntimeError()),
        "false text": Impostor(str, RuntimeError()),
        "false struct": Impostor(LooseRow, OSError()),
        "secretive error": SecretiveError(),
        "loose row": LooseRow(),
        "type": type,
        "object": object(),
        "ellipsis": ...,
        "success": Success(None),
        "failure": Failure(None),
        "set": {1},
        "endless list": _endless_list(),
        "endless dict": _endless_dict(),
        "deep list": _deep_list(),
        "surrogate name": {"\ud800": 1},
        "number field": {1: 2},
        "lying field": {LyingText("q"): 1},
        "raising field": {RaisingClass(): 1},
        "lying query": {LyingText("query"): "q"},
        "lying url field": {LyingText("url"): "q"},
    }


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
    lambda: ValueError("bad key sk-0123456789abcdef0123"),
    lambda: KeyError("url"),
    lambda: OSError(5, "Input/output error"),
    RecursionError,
    MemoryError,
    TimeoutError,
    StopIteration,
    StopAsyncIteration,
    asyncio.InvalidStateError,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: ExceptionGroup("two", [ValueError("one"), OSError("other")]),
    SecretiveError,
    lambda: AssertionError("not what was expected"),
    type("X" * 5000, (Exception,), {}),
)
