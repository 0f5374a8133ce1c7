"""The links of a page for a crawl: those of the same page in UTF-8."""

from hypothesis import given, strategies as st

from webseam.adapters.features.bulk.crawling.links import convert_links

# Small letters of Cyrillic are no valid UTF-8 in any of these charsets.
NAMES = st.text(alphabet="абвгдежзиклмнопрстуфхцчшщ", min_size=2, max_size=12)
CHARSETS = st.sampled_from(["windows-1251", "koi8-r", "iso-8859-5", "utf-16le", "utf-8"])


@given(st.lists(NAMES, min_size=1, max_size=8), NAMES, CHARSETS, st.sampled_from(["", "/d/"]))
def test_links_do_not_depend_on_the_charset(
    names: list[str], page: str, charset: str, base: str
) -> None:
    anchors = "".join(f'<p><a href="{name}?q=1#x">{name}</a></p>' for name in names)
    base_tag = f'<base href="{base}">' if base else ""
    markup = f'<html><head>{base_tag}<link rel="canonical" href="{page}"></head>{anchors}</html>'

    written = convert_links(
        markup.encode(charset), f"text/html; charset={charset}", "https://a.example/x/"
    ).unwrap()

    folder = f"https://a.example{base or '/x/'}"
    assert written.content.split() == list(dict.fromkeys(f"{folder}{name}?q=1" for name in names))
    assert written.canonical_url == f"{folder}{page}"
