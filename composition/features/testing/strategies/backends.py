"""Strategies for backends and compressors that break every promise but to return in time."""

from collections.abc import Callable
from itertools import cycle
from typing import Any, cast

from hypothesis import strategies as st
from returns.result import Failure, Success

from webseam.ports.backends import BackendAbout, WebBackend
from webseam.ports.errors.error_fields import ErrorFields
from webseam.ports.models import Compressor

from ..fakes import FakeBackend, FakeCompressor
from .answers import errors, hostile_rows, json_values, rows
from .hostile import Impostor, LyingText, RaisingRows, exceptions


def hostile_backends() -> st.SearchStrategy[WebBackend]:
    """Give backends whose answers are never a lawful success.

    They return garbage, None, endless rows or failures that are no ``WebError``; they raise at once
    or while rows are read; they lack methods, or their methods cannot be awaited.
    """
    answering = st.builds(
        lambda search, extract, name: FakeBackend(search=search, extract=extract, name=name),
        _hostile_answers(_hostile_row_lists()),
        _hostile_answers(hostile_rows()),
        st.sampled_from(["fake", "", LyingText("fake"), "n" * 500, 7, None]),
    )
    raising = exceptions().map(lambda error: FakeBackend(raises=error))
    misshapen = st.sampled_from(_NOT_BACKENDS).map(lambda make: cast("WebBackend", make()))
    return st.one_of(answering, raising, misshapen)


def hostile_compressors() -> st.SearchStrategy[Compressor]:
    """Give compressors that raise, or return no ``Result``, no text or far too much."""
    texts = st.sampled_from(
        ["", " \n", "\ud800", LyingText("\ud800"), None, 7, b"t", "x" * 100_000]
    )
    answering = _hostile_answers(texts).map(lambda answer: FakeCompressor(answer=answer))
    return st.one_of(answering, exceptions().map(lambda error: FakeCompressor(raises=error)))


def _hostile_answers(values: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    """Give functions that give unlawful answers; a function can also answer None."""
    raised = exceptions()
    outcomes = st.one_of(
        values.map(Success),
        errors().map(Failure),
        json_values().map(lambda value: Failure(cast("Any", value))),
        raised.map(Failure),
        st.builds(Failure, st.builds(ErrorFields)),
        raised.map(lambda error: Impostor(Success, error)),
        raised.map(lambda error: Impostor(Failure, error)),
        json_values(),
        st.sampled_from([Success, Failure, Success(Success(())), ..., print]),
    )
    return outcomes.map(lambda answer: lambda *_: answer)


def _hostile_row_lists() -> st.SearchStrategy[object]:
    good = st.lists(rows(), max_size=3)
    return st.one_of(
        st.builds(lambda before, bad, after: [*before, bad, *after], good, hostile_rows(), good),
        st.builds(RaisingRows, good, exceptions()),
        rows().map(lambda row: cycle([row])),
        st.sampled_from([None, 7, "rows", b"rows", {"results": []}, object(), ...]),
        rows(),
    )


class _WithoutMethods:
    """Has neither method."""


class _WithoutAwait:
    """Has methods whose answers cannot be awaited."""

    about = BackendAbout(name="hasty", batch=2)

    def search(self, _query: object) -> object:
        """Return at once."""
        return Success(())

    def extract(self, _url: object) -> object:
        """Return at once."""
        return None


class _WithoutAbout:
    """Raises on every attribute, ``about`` included."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


_NOT_BACKENDS: tuple[Callable[[], object], ...] = (
    _WithoutMethods,
    _WithoutAwait,
    _WithoutAbout,
    object,
    lambda: None,
    lambda: 7,
)
