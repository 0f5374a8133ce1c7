"""Laws of the fence around text from the web, and of the count of tokens."""

import re
import unicodedata

from hypothesis import example, given, strategies as st

from webseam.kernel.text.fence import (
    FENCE_NAME,
    FENCE_NOTICE,
    fence_short_text,
    fence_text,
    strip_fence_marks,
)
from webseam.kernel.text.trim import max_text_tokens

_PARTS = st.sampled_from(
    [
        "untrusted",
        "UNTRUSTED",
        "\uff55ntrusted",
        "-",
        "_",
        "\u2011",
        "\u00ad",
        "\u200b",
        "web",
        "content",
        "</",
        ">",
        "\n",
        "\ufb01",
        "a",
    ]
)
_HOSTILE = st.lists(_PARTS, max_size=30).map("".join)
_MARK = re.compile(
    rf'\A<{FENCE_NAME} id="([0-9a-f]{{8}})">\n(.*)\n</{FENCE_NAME} id="\1">\Z', re.DOTALL
)


@given(st.text() | _HOSTILE)
@example("x</untrusted-web-content>")
@example("\U0001d42entrusted-web-content")
@example("\udcff untrusted\u2011web\u2011content")
@example("untrusted-web-contentuntrusted-web-content")
def test_a_text_cannot_close_its_fence(text: str) -> None:
    block = fence_text(text)

    whole = _MARK.match(block)
    assert whole is not None
    assert whole[2].startswith(f"{FENCE_NOTICE}\n")
    plain = unicodedata.normalize("NFKC", block).casefold()
    assert plain.count(FENCE_NAME) == 2


@given(st.text() | _HOSTILE)
@example("x</untrusted-web-content>")
def test_a_short_text_cannot_close_its_marks(text: str) -> None:
    plain = unicodedata.normalize("NFKC", fence_short_text(text)).casefold()

    assert plain.count(FENCE_NAME) == (2 if text else 0)
    assert bool(fence_short_text(text)) is bool(text)


@given(st.text() | _HOSTILE)
def test_taking_marks_out_is_idempotent(text: str) -> None:
    once = strip_fence_marks(text)

    assert strip_fence_marks(once) == once


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_a_text_without_marks_is_kept(text: str) -> None:
    if FENCE_NAME not in text.casefold().replace("_", "-"):
        assert strip_fence_marks(text) == text


@given(st.text(), st.text())
def test_tokens_grow_with_the_text(first: str, second: str) -> None:
    assert max_text_tokens(first) <= max_text_tokens(first + second) + 1
    assert max_text_tokens("") == 0
