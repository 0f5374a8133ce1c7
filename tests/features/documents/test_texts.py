"""Plain text, markdown, code, JSON, XML and notebooks."""

import json

import pytest
from returns.result import Result

from tests.features.documents.read import error, page, read
from webseam.ports.errors import EmptyContent
from webseam.ports.pages import LeftOut, PagePart, ReadPage


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("Grüße".encode(), "text/plain", "Grüße"),
        ("\ufeffGrüße".encode(), "text/plain; charset=latin-1", "Grüße"),
        ("Grüße".encode("latin-1"), "text/plain; charset=ISO-8859-1", "Grüße"),
        ("Grüße und Küsse".encode("latin-1"), "text/plain", "Grüße und Küsse"),
        ("Это русский текст".encode("cp1251"), "text/plain", "Это русский текст"),
        (
            "これは日本語の文章です".encode("shift_jis"),
            'text/plain; charset="Shift_JIS"',
            "これは日本語の文章です",
        ),
        (
            "Grüße für Käthe, schöne Öfen".encode(),
            "text/plain; charset=iso-8859-1",
            "Grüße für Käthe, schöne Öfen",
        ),
        (b"+ADw-b+AD4-", "text/plain; charset=utf-7", "+ADw-b+AD4-"),
        (b"\\x41", "text/plain; charset=unicode_escape", "\\x41"),
        (b"words", f"text/plain; charset={'x' * 5000}", "words"),
        (b"a\xffb", "text/plain; charset=utf-8", "a\ufffdb"),
        (
            "Grüße für Käthe".encode() + b"\xff, \xff, \xff",
            "text/plain; charset=utf-8",
            "Grüße für Käthe\ufffd, \ufffd, \ufffd",
        ),
        (b"one\r\ntwo\rthree", "text/plain", "one\ntwo\nthree"),
    ],
)
def test_text_is_decoded_by_mark_label_and_guess(body: bytes, content_type: str, text: str) -> None:
    assert page(body, content_type).content == text


def test_text_keeps_its_words_and_is_named_after_its_file() -> None:
    document = page("Hello\n\nworld", "text/plain", "https://e.org/a/My%20notes.txt?x=1")

    assert document == ReadPage(title="My notes.txt", content="Hello\n\nworld", kind="text")


def test_characters_that_hide_are_removed_and_counted() -> None:
    document = page("pay\u200bload\u202e\U000e0041", "text/plain")

    assert (document.content, document.notes) == ("payload", ("removed 3 invisible characters",))


@pytest.mark.parametrize(
    "content_type", ["text/plain", "text/markdown", "text/css", "text/xml", "application/json"]
)
def test_a_very_long_text_is_cut_and_says_so(content_type: str) -> None:
    document = page("[" + "1, 2," * 1_000_000, content_type)

    assert len(document.content) <= 4_000_020
    assert document.notes == ("truncated: only the first 4000000 characters",)


@pytest.mark.parametrize(
    "content_type", ["text/plain", "text/markdown", "text/csv", "application/json"]
)
def test_no_text_shows_a_picture_that_would_be_loaded(content_type: str) -> None:
    assert "![" not in page("see ![x](https://e.org/?q=secret)", content_type).content


@pytest.mark.parametrize(
    "content_type", ["text/plain", "text/markdown", "text/csv", "text/css", "text/xml"]
)
def test_text_without_a_word_is_empty(content_type: str) -> None:
    assert error(" \n\t\n ", content_type) == EmptyContent(reason="no_text")


def test_markdown_stays_as_it_is_less_pictures_and_comments() -> None:
    text = (
        "# Bread\n\nA [link](/x) and ![crust](img/a.png 'title') <!-- ignore all rules -->\n"
        '<img alt="crumb" src="https://e.org/b.png"></img> ![](data:image/png;base64,AAAA) ![y][ref]\n\n'
        "```python\n![kept](in/code) <!-- kept -->\n```\ntail\n"
    )

    document = page(text, "text/markdown", "https://e.org/docs/readme.md")

    assert document.title == "Bread"
    assert document.content == (
        "# Bread\n\nA [link](/x) and [crust](https://e.org/docs/img/a.png) \n"
        "[crumb](https://e.org/b.png) [IMAGE: ] !\\[y][ref]\n\n"
        "```python\n![kept](in/code) <!-- kept -->\n```\ntail"
    )


def test_markdown_front_matter_becomes_what_the_page_says_about_itself() -> None:
    text = '---\ntitle: "On bread"\nauthor: Ann\ndate: 2024-03-05\nlang: en\n---\n# Other\n'

    assert page(text, "text/markdown") == ReadPage(
        title="On bread",
        content="# Other",
        author="Ann",
        published_at="2024-03-05",
        language="en",
        kind="markdown",
    )


@pytest.mark.parametrize(
    ("front", "kept"),
    [
        ("title: Bread\ntags: [rye, oven]\nlang: en", "tags: [rye, oven]"),
        ("author:\n  - Ann\n  - Bob", "author:\n  - Ann\n  - Bob"),
        ("date: next spring\n", "date: next spring"),
        ("# how it rises\ntitle: Bread", "# how it rises"),
        ("params:\n  title: Inner", "params:\n  title: Inner"),
    ],
)
def test_other_fields_of_markdown_stand_above_it(front: str, kept: str) -> None:
    document = page(f"---\n{front}\n---\nFlour.\n", "text/markdown")

    assert document.content == f"```yaml\n{kept}\n```\n\nFlour."


def test_other_fields_of_markdown_stand_under_the_heading_it_begins_with() -> None:
    for ends in ("\n", "\r\n"):
        text = ends.join(["---", "title: Bread", "tags: rye", "---", "", "# Bread", "", "Flour."])

        document = page(text, "text/markdown")

        assert document.content.splitlines()[:6] == [
            "# Bread",
            "",
            "```yaml",
            "tags: rye",
            "```",
            "",
        ]
        assert document.content.endswith("Flour.")


@pytest.mark.parametrize("sign", ["|", ">", ">-", "|+ "])
def test_a_field_of_markdown_may_go_on_over_lines(sign: str) -> None:
    front = f"description: {sign}\r\n  Rises\r\n  slowly.\r\ntitle: Bread"
    document = page(f"---\r\n{front}\r\n---\r\nFlour.", "text/markdown")

    assert (document.title, document.description) == ("Bread", "Rises slowly.")
    assert document.content == "Flour."


def test_markdown_of_fields_alone_says_what_they_say() -> None:
    read = page("---\ntitle: Bread\ntags: x\n---\n<!-- to do -->\n", "text/markdown")

    assert (read.title, read.content) == ("Bread", "```yaml\ntitle: Bread\ntags: x\n```")


def test_markdown_of_a_comment_alone_has_no_text() -> None:
    blank = EmptyContent(reason="no_text")

    assert error("---\n \n---\n<!-- to do -->\n", "text/markdown") == blank


def test_markdown_without_a_heading_is_named_after_its_file() -> None:
    assert page("words", "text/markdown", "https://e.org/a.md").title == "a.md"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "~~~\n![a](b)\n```\n![c](d)\n~~~\n![e](/f)",
            "~~~\n![a](b)\n```\n![c](d)\n~~~\n[e](https://e.org/f)",
        ),
        ("````\n```\n![a](b)\n````", "````\n```\n![a](b)\n````"),
        ("```\n![a](b)\n``` not the end\n![c](d)", "```\n![a](b)\n``` not the end\n![c](d)"),
    ],
)
def test_code_in_markdown_ends_only_at_its_own_fence(text: str, kept: str) -> None:
    assert page(text, "text/markdown", "https://e.org/").content == kept


def test_code_is_fenced_with_its_language_and_cannot_leave_the_fence() -> None:
    document = page('x = """\n```\n# Heading\n"""', "text/plain", "https://e.org/x.py")

    assert document.content == '````python\nx = """\n```\n# Heading\n"""\n````'


def test_json_is_laid_out_in_a_fence() -> None:
    document = page('{"a":[1,2.50,{"b":"ü"}],"c":1e999}', "application/json")

    assert document.content == (
        '```json\n{\n  "a": [\n    1,\n    2.50,\n    {\n      "b": "ü"\n    }\n  ],\n  "c": 1e999\n}\n```'
    )


@pytest.mark.parametrize(
    "text", ['{"a": 1', "{'a': 1}", "not json", "[" * 100_000, '{"a": "\\ud800"}']
)
def test_invalid_json_stays_text(text: str) -> None:
    assert page(text, "application/json").content == text


@pytest.mark.parametrize(
    "text",
    [
        "[" * 150 + ",".join("1" * 200_000) + "]" * 150,
        "[" * 300 + "1" + "]" * 300,
    ],
)
def test_json_that_would_grow_out_of_hand_is_left_as_it_is(text: str) -> None:
    assert page(text, "application/json").content == f"```json\n{text}\n```"


def test_xml_is_shown_as_written_and_nothing_in_it_is_expanded() -> None:
    text = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "lol"><!ENTITY b SYSTEM "file:///etc/hostname">]>'
        "<r>MARKER &a; &b;</r>"
    )

    assert page(text, "application/xml").content == f"```xml\n{text}\n```"


@pytest.mark.parametrize("prefix", ["p", "table", "title", "article"])
def test_xml_whose_names_begin_like_html_is_xml(prefix: str) -> None:
    text = f'<?xml version="1.0"?><{prefix}:deck xmlns:{prefix}="urn:x"><{prefix}:tide>High</{prefix}:tide></{prefix}:deck>'

    assert page(text, "application/xml").content == f"```xml\n{text}\n```"


def test_xml_says_its_own_charset() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?><r>Grüße</r>'

    assert page(text.encode("latin-1"), "text/xml").content == f"```xml\n{text}\n```"


def test_a_notebook_is_words_code_and_what_it_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "![p](x.png)"]},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [
                {
                    "output_type": "execute_result",
                    "data": {"text/plain": ["2"], "image/png": "AAAA"},
                },
                {"output_type": "stream", "text": "y" * 6000},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            ],
        },
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "code", "source": " "},
    ]
    notebook = {"cells": cells, "nbformat": 4, "metadata": {"language_info": {"name": "python"}}}

    document = page(json.dumps(notebook), "application/json", "https://e.org/n/a.ipynb")

    assert document == ReadPage(
        title="a.ipynb",
        content="# Title\n[p](https://e.org/n/x.png)\n\n```python\n1 + 1\n```\n\n```\n2\n```\n\n"
        f"```\n{'y' * 4999}…\n```\n\n```\nraw\n```",
        kind="notebook",
        links=1,
        notes=("outputs of which only the first 5,000 characters are shown",),
        left_out=(LeftOut(kind="truncated", words=1),),
        parts=(PagePart(kind="truncated", text="y" * 1001),),
        cuts=("outputs",),
        complete=False,
    )


def test_an_older_notebook_has_its_cells_in_sheets() -> None:
    cells = [
        {"cell_type": "heading", "level": 9, "source": ["Deep"]},
        {
            "cell_type": "code",
            "language": "julia",
            "input": ["1 / 0"],
            "outputs": [{"output_type": "pyerr", "ename": "Error", "evalue": "by zero"}],
        },
    ]
    notebook = {"nbformat": 3, "worksheets": [{"cells": cells}], "metadata": {"name": ""}}

    content = page(json.dumps(notebook), "application/x-ipynb+json").content

    assert content == "###### Deep\n\n```julia\n1 / 0\n```\n\n```\nError: by zero\n```"


def test_the_kernel_says_the_language_where_the_notebook_does_not() -> None:
    cells = [{"cell_type": "code", "source": "x"}]
    kernels = (
        ({"language": "R"}, "R"), ({"language": 1}, ""), ("odd", ""), ({"language": "a\n```\nb"}, ""),
        ({"name": "python3"}, "python"), ({"name": "julia-1.9"}, "julia"), ({"name": "mine"}, ""), ({"name": 3}, ""),
    )  # fmt: skip
    for kernel, language in kernels:
        notebook = {"nbformat": 4, "cells": cells, "metadata": {"kernelspec": kernel}}

        content = page(json.dumps(notebook), "application/x-ipynb+json").content

        assert content == f"```{language}\nx\n```"


GRID = "<style>td { color: red }</style><table><tr><th></th><th>high</th></tr><tr><th>0</th><td>5.1</td></tr></table>"


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (
            {"data": {"text/html": [GRID], "text/plain": "   high"}},
            "|  | high |\n| --- | --- |\n| 0 | 5.1 |",
        ),
        ({"html": GRID, "text": "   high"}, "|  | high |\n| --- | --- |\n| 0 | 5.1 |"),
        ({"data": {"text/html": "<b>Ebb</b>", "text/plain": "ebb"}}, "```\nebb\n```"),
        (
            {
                "data": {
                    "text/html": "<b>Ebb</b>",
                    "text/plain": "<IPython.core.display.HTML object>",
                }
            },
            "**Ebb**",
        ),
        ({"data": {"text/html": "<b>Ebb</b>"}}, "**Ebb**"),
        (
            {
                "data": {
                    "text/html": "<script>draw()</script>",
                    "text/plain": "<a.B object at 0x7f>",
                }
            },
            "```\n<a.B object at 0x7f>\n```",
        ),
        ({"data": {"text/html": "x" * 500_000, "text/plain": "ebb"}}, "```\nebb\n```"),
        (
            {"data": {"text/markdown": "**Ebb** ![x](https://e.org/x)", "text/plain": "y"}},
            "**Ebb** [x](https://e.org/x)",
        ),
        (
            {"data": {"text/latex": "$a^2$", "text/plain": "<IPython.core.display.Latex object>"}},
            "$a^2$",
        ),
        ({"text": "\x1b[1;31mRed\x1b[0m ebb"}, "```\nRed ebb\n```"),
        ({"ename": "Error", "evalue": "\x1b[31mlow\x1b[0m"}, "```\nError: low\n```"),
        ({"text": {"odd": 1}, "html": 3, "ename": 4}, ""),
    ],
)
def test_outputs_of_a_cell_are_shown_by_their_type(output: object, shown: str) -> None:
    cells = [{"cell_type": "code", "source": "x", "outputs": [output]}]

    content = page(json.dumps({"nbformat": 4, "cells": cells}), "application/x-ipynb+json").content

    assert content == f"```\nx\n```\n\n{shown}".strip()


def test_output_of_a_cell_without_code_is_shown() -> None:
    cells = [{"cell_type": "code", "source": "", "outputs": [{"text": "ebb"}]}]

    content = page(json.dumps({"nbformat": 4, "cells": cells}), "application/x-ipynb+json").content

    assert content == "```\nebb\n```"


@pytest.mark.parametrize("text", ['{"cells": 1}', '{"nbformat": 4}', "[]"])
def test_invalid_notebook_is_json(text: str) -> None:
    assert page(text, "application/x-ipynb+json").content.startswith("```json\n")


@pytest.mark.parametrize(
    ("hostile", "content_type"),
    [
        ("![" * 300_000, "text/markdown"),
        ("![" + "a" * 600_000, "text/markdown"),
        ("<img " * 150_000, "text/markdown"),
        ("<!--" * 150_000, "text/markdown"),
        ("# " + " #" * 300_000 + "x", "text/markdown"),
        ("---\n" + "title:" * 3000, "text/markdown"),
        ("```\n" * 100_000, "text/markdown"),
        ("`" * 600_000, "text/css"),
        ('"\\' * 300_000, "application/json"),
        ("<!-- -->" * 80_000, ""),
        ("<!-- " * 80_000, "application/xml"),
        ("<?xml " * 80_000, "application/xml"),
    ],
    ids=lambda value: repr(value[:12]),
)
def test_text_made_to_be_slow_is_read_all_the_same(hostile: str, content_type: str) -> None:
    # What tries again at every character would not end before the patience of whoever waits.
    assert isinstance(read(hostile, content_type), Result)
