"""How much of a page's structure survives as markdown, and how much is made up.

An element counts when it stands in the ground truth: a heading, an item or a row when it is a line
of it, a link when the sentence around it is, code when it is there line by line. It is kept when
the markdown has the same words in the same role, and made up when the markdown gives words a role
that no element of the page gives them. Boxes of one sort that stand beside each other may be items.
"""

import re
from collections import Counter

from turbohtml import Document, Element, parse

WORD = re.compile(r"\w+")
LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\([^)\s]*\)")
FENCED = re.compile(r"^[ >]*(`{3,}).*?^[ >]*\1 *$", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r"((?:> ?)*\s*)(?:[-*+]|\d+[.)])\s+(.*)")
ROLES = ("heading", "link", "item", "row", "code")
SELECTORS = {
    "heading": "h1,h2,h3,h4,h5,h6",
    "link": "a[href]",
    "item": "li",
    "row": "tr",
    "code": "pre",
}
BESIDE = ",".join(f"{tag}+{tag},{tag}:has(+{tag})" for tag in ("a", "article", "div", "section"))
SENTENCES = "p,li,td,dd,blockquote,figcaption"
FIRST_WORDS = 6
LEAST_WORDS = 3


def words(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))


def first_words(text: str) -> str:
    return " ".join(WORD.findall(text.lower())[:FIRST_WORDS])


def compare(html: str, markdown: str, wanted: str) -> dict[str, tuple[int, int, int, int]]:
    """Return for each role: wanted, kept, written, made up."""
    document = parse(html, positions=False)
    every = {role: _texts(document.select(SELECTORS[role]), role) for role in ROLES}
    every["link"] |= {words(image.attr("alt") or "") for image in document.find_all("img")}
    every["item"] |= _texts(document.select(BESIDE), "item")
    document.remove("nav,footer,header nav,aside,[hidden],[aria-hidden=true],script,style,template")
    lines = {words(line) for line in wanted.split("\n")}
    starts = {first_words(line) for line in wanted.split("\n")}
    ours = markdown_roles(markdown)
    counts = {}
    for role in ROLES:
        expected = _asked(document, role, lines, starts)
        if role in {"item", "link"}:
            # A table of contents repeats the headings, and it is the headings that are wanted.
            expected -= {first_words(text) for text in every["heading"]} | every["heading"]
        written = _blankless(ours[role])
        counts[role] = (
            len(expected),
            len(_blankless(expected) & written),
            len(written),
            len(written - _blankless(every[role])),
        )
    return counts


def _blankless(texts: set[str]) -> set[str]:
    """Return the texts without blanks: two words that only a style sheet parts are run together."""
    return {text.replace(" ", "") for text in texts}


def _asked(document: Document, role: str, lines: set[str], starts: set[str]) -> set[str]:
    elements = document.select(SELECTORS[role])
    if role == "link":
        elements = [link for link in elements if _around(link) in lines]
    texts = _texts(elements, role)
    if role == "link":
        return texts
    among = starts if role == "item" else lines
    return {text for text in texts & among if text.count(" ") + 1 >= LEAST_WORDS}


def _around(link: Element) -> str:
    block = link.closest(SENTENCES)
    text = words(block.text) if block is not None else ""
    return text if text.count(" ") + 1 >= LEAST_WORDS else "-"


def _texts(elements: list[Element], role: str) -> set[str]:
    texts: set[str] = set()
    for element in elements:
        if role == "row" and element.select_one("table,h1,h2,h3,h4,ul,ol,pre"):
            continue
        text = " ".join(element.strings) if role in {"item", "row"} else element.text
        if role == "code":
            texts.update(words(line) for line in text.split("\n"))
        else:
            texts.add(first_words(text) if role == "item" else words(text))
    return texts - {""}


def markdown_roles(markdown: str) -> dict[str, set[str]]:
    roles: dict[str, set[str]] = {role: set() for role in ROLES}
    roles["item"].update(_items(markdown))
    fence = ""
    for raw in markdown.split("\n"):
        line = raw.strip()
        mark = re.match(r"(?:> ?)*(`{3,})", line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif fence:
            roles["code"].add(words(line))
        else:
            _line_roles(line, roles)
    return {role: texts - {""} for role, texts in roles.items()}


def _items(markdown: str) -> set[str]:
    """Return how the items begin; what is indented under an item's mark is part of it."""
    texts: list[str] = []
    indent = -1
    plain = LINK.sub(r"\1", FENCED.sub("", markdown)).replace("\\", "")
    for raw in plain.split("\n"):
        item = ITEM.match(raw)
        if item:
            texts.append(item[2])
            indent = len(item[1])
        elif raw.strip() and indent >= 0 and len(raw) - len(raw.lstrip()) > indent:
            texts[-1] += f" {raw}"
        elif raw.strip():
            indent = -1
    return {first_words(text) for text in texts}


def _line_roles(line: str, roles: dict[str, set[str]]) -> None:
    plain = LINK.sub(r"\1", line).replace("\\", "")
    roles["link"].update(words(text.replace("\\", "")) for text in LINK.findall(line))
    heading = re.match(r"(?:> ?)*(?:[-*+] |\d+\. )*(#{1,6}) (.*)", plain)
    if heading:
        roles["heading"].add(words(heading[2]))
    if plain.startswith("|"):
        roles["row"].add(words(plain))


def add(total: Counter[tuple[str, int]], counts: dict[str, tuple[int, int, int, int]]) -> None:
    for role, numbers in counts.items():
        for place, number in enumerate(numbers):
            total[role, place] += number


def report(total: Counter[tuple[str, int]]) -> None:
    for role in ROLES:
        expected, present, written, extra = (total[role, place] for place in range(4))
        print(
            f"  {role:8} in the content {expected:6}  kept {present / (expected or 1):6.1%}"
            f"   written {written:6}  made up {extra / (written or 1):6.1%}"
        )
