"""What a page tells of its product in data alone, where little of it can be read.

Shops draw a description by script, or hide it until a click, and give it to machines as linked
data (https://schema.org/Product). It is taken where it is at least half as long as what was read,
and says something else; measured on the development pages, a shorter one or one in other words for
the same does harm.
"""

import html
import re
from typing import Final

from turbohtml import parse

from ..metadata import PageHead
from ..rendering.markdown import render_markdown, tidy_tree
from ..visibility.pruning import prune_hidden

_PRODUCTS: Final = frozenset({"IndividualProduct", "Product", "ProductGroup", "ProductModel"})
_MIN_DESCRIPTION_WORDS: Final = 20
_OF_WHAT_IS_READ: Final = 0.5
_KNOWN: Final = 0.4
_MAX_DESCRIPTION_CHARS: Final = 20_000
_MARKUP: Final = re.compile(r"</?[a-zA-Z]")
_WORD: Final = re.compile(r"\w+")


def product_description(head: PageHead, content: str, base: str) -> str:
    """Return the description of the page's product as markdown; nothing where it adds nothing."""
    told = [
        text
        for thing in head.things
        if _is_product(thing.get("@type")) and isinstance(text := thing.get("description"), str)
    ]
    longest = max(told, key=len, default="")
    if not longest:
        return ""
    description = _markdown(longest[:_MAX_DESCRIPTION_CHARS], base)
    words, read = _WORD.findall(description.lower()), _WORD.findall(content.lower())
    own = set(words)
    is_long = len(words) >= max(_MIN_DESCRIPTION_WORDS, _OF_WHAT_IS_READ * len(read))
    return description if is_long and len(own.intersection(read)) <= _KNOWN * len(own) else ""


def _is_product(kind: object) -> bool:
    kinds = kind if isinstance(kind, list) else [kind]
    return any(isinstance(one, str) and one.rpartition("/")[2] in _PRODUCTS for one in kinds)


def _markdown(text: str, base: str) -> str:
    """Return a text as markdown; often it is HTML, and as often escaped once more."""
    plain = html.unescape(text)
    if not _MARKUP.search(plain):
        plain = "".join(f"<p>{html.escape(line)}</p>" for line in plain.splitlines())
    pruned = prune_hidden(parse(plain, positions=False))
    if pruned is None:
        return ""
    tidy_tree(pruned.body, base)
    return render_markdown(pruned.body)[0]
