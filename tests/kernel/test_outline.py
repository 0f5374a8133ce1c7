"""The blocks of a page's markdown."""

import pytest
from hypothesis import given, strategies as st

from webseam.kernel.text.outline import PageBlock, page_blocks

PAGE = """# Tides

Twice a day.
Everywhere.


- high

- low

  and slack

1. first

| a | b |
| - | - |

```py
x = 1

- y
```

> Said once.

````
```
````"""


def test_every_kind_of_block_has_its_place() -> None:
    blocks = page_blocks(PAGE)

    assert [(block.kind, PAGE[block.start : block.end]) for block in blocks] == [
        ("heading", "# Tides"),
        ("paragraph", "Twice a day.\nEverywhere."),
        ("list", "- high\n\n- low\n\n  and slack\n\n1. first"),
        ("table", "| a | b |\n| - | - |"),
        ("code", "```py\nx = 1\n\n- y\n```"),
        ("quote", "> Said once."),
        ("code", "````\n```\n````"),
    ]
    assert [(block.level, block.language) for block in blocks if block.level or block.language] == [
        (1, None),
        (0, "py"),
    ]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_nothing_has_no_blocks(text: str) -> None:
    assert page_blocks(text) == ()


def test_code_that_is_never_closed_goes_to_the_end() -> None:
    assert page_blocks("```\na\n\nb") == (PageBlock(kind="code", start=0, end=8),)


@given(st.text(alphabet="a#-`|> \n1."))
def test_blocks_hold_every_word_and_never_overlap(text: str) -> None:
    end = 0
    for block in page_blocks(text):
        assert not text[end : block.start].strip()
        assert text[block.start : block.end].strip()
        end = block.end
    assert not text[end:].strip()
