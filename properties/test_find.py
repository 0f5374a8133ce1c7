"""What ``find`` says of a page is true: words that a view shows are never called absent."""

from typing import get_args

from hypothesis import example, given, strategies as st

from webseam.kernel.pages.find import UNSEEN_KINDS, find_words
from webseam.kernel.pages.page_record import PageRecord, PageSource
from webseam.ports.found import MAX_FIND_WORDS, Found
from webseam.ports.pages import LeftOut, LeftOutKind, PagePart, PageReading

_SOURCE = PageSource(url="https://a.example/", final_url="https://a.example/")
_KINDS = get_args(LeftOutKind)
_SEEN_KINDS = [kind for kind in _KINDS if kind not in UNSEEN_KINDS | {"walled"}]
# Letters of many scripts, marks, signs of markdown and of HTML, raised digits and blanks.
_LETTERS = st.characters(codec="utf-8") | st.sampled_from(
    "aAeßİκςé49²½™*_~`\\[]()<>&;#|.,'’-東京タトラーメンกำ한"
)
_WORDS = st.text(_LETTERS, min_size=1, max_size=8).filter(lambda text: bool(text.split()))
_TEXTS = st.lists(_WORDS, max_size=12).map(" ".join) | st.lists(_WORDS, max_size=8).map("\n\n".join)


def _page(content: str, parts: dict[LeftOutKind, str], *, title: str = "") -> PageRecord:
    """Return a page that was read whole."""
    return PageRecord(
        source=_SOURCE,
        title=title,
        content=content,
        reading=PageReading(
            view="as sent",
            content_type="text/html",
            complete=True,
            left_out=tuple(LeftOut(kind=kind, words=len(parts[kind].split())) for kind in parts),
            parts=tuple(PagePart(kind=kind, text=text) for kind, text in parts.items()),
        ),
    )


def _find(record: PageRecord, text: str, *, is_cut: bool = False) -> Found:
    found: Found = find_words(record, text, is_cut=is_cut).unwrap()
    return found


@given(
    _TEXTS,
    st.dictionaries(st.sampled_from(_SEEN_KINDS), _TEXTS, max_size=3),
    st.data(),
)
@example("**49**95 un**believ**able 49⁹⁵ Acme™ m²", {}, None)
def test_words_of_any_part_that_is_shown_are_found_or_apart(
    content: str, parts: dict[LeftOutKind, str], data: st.DataObject | None
) -> None:
    texts = [content, *parts.values()]
    shown = list(dict.fromkeys(word for text in texts for word in text.split()))
    if not shown:
        return
    words = shown
    if data is not None:
        words = data.draw(st.lists(st.sampled_from(shown), min_size=1, max_size=5))

    found = _find(_page(content, parts), " ".join(words[:MAX_FIND_WORDS]))

    assert found.status in ("found", "apart")
    assert found.passages
    assert found.missing == ()


@given(_TEXTS, st.sampled_from(_SEEN_KINDS), _TEXTS)
def test_absent_words_stand_in_no_part_and_are_named(
    content: str, kind: LeftOutKind, text: str
) -> None:
    found = _find(_page(content, {kind: text}), "zyzzyvaqq")

    assert (found.status, found.missing) == ("absent", ("zyzzyvaqq",))


@given(_TEXTS, st.sampled_from(sorted(UNSEEN_KINDS)))
def test_a_word_that_a_page_hides_is_neither_shown_nor_called_absent(
    content: str, kind: LeftOutKind
) -> None:
    record = _page(content, {kind: "zyzzyvaqq and more"})

    found = _find(record, "zyzzyvaqq")

    assert (found.status, found.reason, found.passages) == ("unknown", "hidden", ())
    assert _find(record, "zyzzyvaqq xylyxqq").missing == ("xylyxqq",)
    assert all(passage.part != kind for passage in _find(record, "and").passages)


_NOT_KEPT = [
    PageReading(complete=True, left_out=(LeftOut(kind=kind, words=3),))
    for kind in ("walled", *_SEEN_KINDS)
]
_UNREAD = st.sampled_from(
    [
        PageReading(),
        PageReading(complete=False, left_out=()),
        PageReading(left_out=()),
        PageReading(complete=False, cuts=("page_chars",), left_out=()),
        *_NOT_KEPT,
    ]
)


@given(_TEXTS, _UNREAD)
def test_absent_is_never_said_of_a_page_with_text_that_was_not_looked_through(
    content: str, reading: PageReading
) -> None:
    record = PageRecord(source=_SOURCE, content=content, reading=reading)

    found = _find(record, "zyzzyvaqq")

    assert found.status == "unknown"
    assert found.reason is not None
    assert _find(_page(content, {}), "zyzzyvaqq", is_cut=True).reason == "cut"
