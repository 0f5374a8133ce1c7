"""Each cap of the reader is met by a page, and named by it."""

import json

import pytest
from returns.result import Success

from webseam.adapters.reader import read_html
from webseam.adapters.reader.caps import CAPS
from webseam.ports.pages import MAX_PARTS_CHARS, LeftOut, ReadPage

from .read import PARAGRAPH, URL, article
from .word_count import source_words, told_words

TEXT = f"<p>{PARAGRAPH}</p>"


def linked(**fields: object) -> str:
    thing = {"@type": "Product", "name": "Rope", **fields}
    return article(f"<script type=application/ld+json>{json.dumps(thing)}</script>")


def things(count: int, text: str) -> str:
    rows = [{"@type": "Book", "name": f"{text} {n}", "isbn": str(n)} for n in range(count)]
    return article(f"<script type=application/ld+json>{json.dumps(rows)}</script>")


def pictures(count: int) -> str:
    return article("".join(f"<p>{n}<img src=/{n}.png alt='Ox {n}'></p>" for n in range(count)))


def comments(count: int) -> str:
    each = f"<div class=comment id=c><p class=comment-text>{PARAGRAPH}</p></div>"
    return article("") + f"<div id=comments class=comments>{each * count}</div>"


def frames(count: int) -> str:
    return article("<iframe srcdoc='<p>framed</p>'></iframe>" * count)


def shadow_roots(count: int) -> str:
    return article("<b><template shadowrootmode=open></template></b>" * count)


def page_chars(count: int) -> str:
    return article(f"<p title='{'x' * 3_990_000}'>Long.</p>{TEXT * count}")


def runs(count: int) -> str:
    return article("".join(f"<p>Line {n} of many</p>" for n in range(count)))


def menus(count: int) -> str:
    entries = f"<li>{PARAGRAPH * 10}</li>" * 40
    return f"{article(TEXT * 40)}" + f"<nav><ul>{entries}</ul></nav>" * count


def captions(count: int) -> str:
    return article(
        f"<figure><img src=/a.png alt=Ox><figcaption>{'c' * count}</figcaption></figure>"
    )


def shell_page(data: object) -> ReadPage:
    script = f"<script id=__NEXT_DATA__ type=application/json>{json.dumps(data)}</script>"
    sources = "<script src=/a.js></script><script src=/b.js></script>"
    head = f"<head><title>Mole</title>{sources}</head>"
    return read(f"<html>{head}<body><div id=root></div>{script}</body></html>")


# For each cap a page that meets it, and one just under it.
PAGES = {
    "page_chars": (page_chars(300), page_chars(1)),
    "frames": (frames(51), frames(50)),
    "shadow_roots": (shadow_roots(2001), shadow_roots(2000)),
    "runs": (runs(8001), runs(7000)),
    "comments": (comments(150), comments(5)),
    "facts": (
        linked(**{f"n{n}": n for n in range(120)}),
        linked(**{f"n{n}": n for n in range(119)}),
    ),
    "fact_values": (linked(color=["red"] * 21), linked(color=["red"] * 20)),
    "images": (pictures(51), pictures(50)),
    "captions": (captions(301), captions(300)),
}


def read(html: str) -> ReadPage:
    outcome = read_html(html, URL, comments=True, parts=True)
    assert isinstance(outcome, Success)
    page: ReadPage = outcome.unwrap()
    return page


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_the_cap_that_it_met(name: str) -> None:
    over, under = map(read, PAGES[name])

    assert (over.cuts, over.complete) == ((name,), not CAPS[name].loses_text)
    assert (under.cuts, under.complete) == ((), True)


def test_every_cap_has_a_page_that_meets_it() -> None:
    assert {*PAGES, "parts", "script_data"} == {*CAPS}


@pytest.mark.parametrize("page", [linked(color="r" * 201), things(20, "x" * 1000), things(32, "x")])
def test_facts_that_are_shortened_are_told(page: str) -> None:
    assert {*read(page).cuts} & {"facts", "fact_values"}


def test_a_shell_with_more_data_than_is_read_is_not_complete() -> None:
    data = {"body": f"{PARAGRAPH} {PARAGRAPH} {PARAGRAPH}", "more": [*range(50_000)]}
    over, under = shell_page(data), shell_page({**data, "more": [*range(49_000)]})

    assert (over.cuts, over.complete) == (("script_data",), False)
    assert (under.cuts, under.complete) == ((), True)


def test_the_text_behind_the_limit_is_counted_and_returned() -> None:
    html = PAGES["page_chars"][0]
    page = read(html)

    assert told_words(page) == source_words(html)
    words = {entry.kind: entry.words for entry in page.left_out}
    assert words["truncated"] > 30 * len(PARAGRAPH.split())
    assert PARAGRAPH in next(part.text for part in page.parts if part.kind == "truncated")


def test_no_script_is_parted_at_the_limit() -> None:
    script = f"<script>{'var_words = 1; ' * 900}</script>"
    html = article(f"<p title='{'x' * 3_990_000}'>Long.</p>{script * 2}{TEXT}")
    page = read(html)

    assert told_words(page) == source_words(html)
    assert all("var_words" not in part.text for part in page.parts)


def test_parts_that_are_too_long_are_not_kept_and_the_cap_is_named() -> None:
    count = 1 + MAX_PARTS_CHARS // (400 * len(PARAGRAPH))
    page = read(menus(3 * count) + "<select><option>Blue</select>")

    assert (page.cuts, page.complete) == (("parts",), True)
    counted = {entry.kind for entry in page.left_out}
    assert {part.kind for part in page.parts} == counted - {"menus"}
    assert counted > {"menus", "controls"}


def test_a_wall_without_its_text_is_told_without_words() -> None:
    head = '<meta property="article:content_tier" content="locked">'
    page = read(article("<div><p>Subscribe to continue reading.</p></div>", head))

    assert page.complete is False
    assert LeftOut(kind="walled", words=0) in page.left_out
