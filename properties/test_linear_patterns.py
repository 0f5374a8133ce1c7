"""Every pattern that meets a text outside of the workers does work in proportion to the text."""

import re
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from properties.counted_patterns import (
    not_counted_before,
    superlinear_patterns,
    written_patterns,
)
from properties.regex_work import (
    CountedPattern,
    Growth,
    TooMuchWorkError,
    deep_recursion,
    worst_growth,
)
from properties.written_patterns import module_files, parent_modules, pattern_sites

CONVERSION = "adapters.features.documents.conversion"
READERS = (
    "adapters.features.data",
    "adapters.features.documents",
    "adapters.reader",
    "composition.features.data.html_data",
    "composition.features.data.html_rules",
    "kernel.features.data",
)


def test_every_pattern_outside_of_the_workers_is_linear() -> None:
    patterns = written_patterns()

    assert patterns
    assert superlinear_patterns(not_counted_before(patterns)) == {}


def test_pattern_that_is_new_or_different_is_counted() -> None:
    known = next(each for each in written_patterns() if not not_counted_before([each]))
    others = [
        known._replace(source=r"a+b+c" if isinstance(known.source, str) else rb"a+b+c"),
        known._replace(flags=known.flags ^ re.IGNORECASE),
        known._replace(anchored=not known.anchored),
    ]

    assert not_counted_before([known._replace(site="elsewhere"), *others]) == others


def test_only_what_workers_alone_import_is_left_out() -> None:
    left_out = module_files().keys() - {*parent_modules()}
    assert CONVERSION in left_out
    assert all(name.startswith(READERS) for name in left_out)


@pytest.mark.parametrize("name", ["adapters.pages.page_forms", "kernel.policy.session_memory"])
def test_every_call_of_re_and_every_lazy_pattern_is_a_site(name: str) -> None:
    text = module_files()[name].read_text()
    calls = re.findall(r"\bre\.compile\(|\blazy_pattern\(", text)
    assert len([*pattern_sites(name)]) == len(calls) > 0


@pytest.mark.parametrize(
    ("source", "anchored"),
    [
        (r"a+b", False),
        (r"\s+$", False),
        (r"\[([^\]]*)\]\(", False),
        (r"```[\w+-]*(.*?)```", True),
        (r"#[ \t]+(.*?)[ \t#]*$", True),
        (r"\w*(?:KEY|TOKEN)\w*=", True),
        (r"(?=.*x)a", False),
        (r"(?:a+)+b", True),
        (r"(?:\s|\.{3,}|\.)+\Z", True),
        (r"[^\n]{0,2000}x", False),
        (rb"\s*<", False),
        (r"(a)\1*b", False),
    ],
)
def test_a_pattern_that_is_worse_than_linear_is_found(
    source: str | bytes, *, anchored: bool
) -> None:
    growth = worst_growth(source, 0, anchored=anchored)
    assert growth is not None
    assert not growth.is_linear


@pytest.mark.parametrize(
    "source",
    [r"a+", r"(?<!a)a+b", r"\[([^\[\]]*+)\]", r"\A\s*x", r"[a-z]{2,20}x", r"(?:ab|cd)*+", r"a|b"],
)
def test_a_linear_pattern_passes(source: str) -> None:
    assert worst_growth(source, 0, anchored=False) is None


def test_growth_is_the_last_doubling() -> None:
    assert Growth("", "a", "", (10, 20)).is_linear
    assert not Growth("", "a", "", (10, 26)).is_linear


_ATOMS = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", ".", r"\w", r"\s", r"\b", "^", "$", "(?=a)", "(?<!b)"]
)
_REPEATS = st.sampled_from(["", "*", "+", "?", "*?", "+?", "*+", "{1,3}", "{2}"])
_PARTS = st.builds(lambda atom, sign: f"(?:{atom}){sign}" if sign else atom, _ATOMS, _REPEATS)
_SOURCES: st.SearchStrategy[str] = st.deferred(
    lambda: st.one_of(
        _PARTS,
        st.tuples(_PARTS, _SOURCES).map("".join),
        st.builds("(?:{}|{})".format, _PARTS, _SOURCES),
        st.builds("(?:{}){}".format, _SOURCES, _REPEATS),
    )
)


@settings(max_examples=300, deadline=None)
@given(source=_SOURCES, text=st.text("ab \n_", max_size=8))
def test_the_counting_matcher_finds_what_re_finds(source: str, text: str) -> None:
    counted = CountedPattern(source, 0)
    with deep_recursion(), suppress(TooMuchWorkError):
        counted.count(text, 100_000, anchored=False)
    first = re.search(source, text)
    assert counted.matches[:1] == ([] if first is None else [first.span()])
