"""Looking at many values at once says what looking at each of them says."""

from hypothesis import example, given, strategies as st

from webseam.kernel.text.display import are_plain_texts, is_plain_text
from webseam.kernel.urls.spelling import are_web_urls, is_web_url
from webseam.ports.targets import MAX_URL_CHARS
from webseam.testing import strategies


class Liar(str):
    """Text that is not what it says."""

    __slots__ = ()


NEARLY = st.text("aZ0-./:?#@[] \n\r\té\ud800", max_size=12).map("https://a.example".__add__)
SPELLED = st.text("htps:/.a0-\n", max_size=30)
PLAIN = "https://a.example/x"


@given(
    st.lists(
        strategies.urls()
        | strategies.hostile_urls().filter(lambda url: type(url) is str)
        | NEARLY
        | SPELLED
    )
)
@example([])
@example([""])
@example([PLAIN, PLAIN])
@example([PLAIN + "\n" + PLAIN])
@example([PLAIN, PLAIN + "\n"])
@example(["https://a..example/"])
@example(["https://a.example./"])
@example(["https://.a.example/"])
@example(["https://a.example" + "/x" * MAX_URL_CHARS])
@example(["https://" + "a." * MAX_URL_CHARS + "example/"])
@example(["https://" + "a" * MAX_URL_CHARS + ".example/"])
@example([PLAIN, "https://a.example/\x7f"])
@example([PLAIN, "https://a.example/é"])
def test_urls_keep_the_law_together_if_each_does(many: list[str]) -> None:
    assert are_web_urls(many) == all(map(is_web_url, many))


@given(st.lists(st.text(st.characters()) | st.text("a\ud800é")))
@example(["a", "é", "\ud83d", "\ude00"])
@example([Liar("a")])
@example(["a", Liar("é")])
def test_texts_are_plain_together_if_each_is(many: list[str]) -> None:
    assert are_plain_texts(many) == all(map(is_plain_text, many))
