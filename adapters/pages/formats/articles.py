"""Papers and patents in XML: JATS (NISO Z39.96, as PubMed Central has it) and the USPTO's.

https://jats.nlm.nih.gov/publishing/ and https://bulkdata.uspto.gov/ (read 2026-11-15)
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from ..dates import iso_date
from ..text import raised
from .draft import Draft, Source, page_of
from .markup import fenced, link, table, tamed
from .office.formulas import mathml
from .office.package import BrokenFileError, TooLargeError
from .office.xml import Node, elements
from .plain import read_xml

_PATENTS: Final = ("us-patent-grant", "us-patent-application")
_LOWEST_HEADING: Final = 6
# What stands beside the text: numbers of figures in files, and what only machines read.
_UNSEEN: Final = frozenset({"graphic", "inline-graphic", "label", "object-id", "permissions"})
# A formula, or several forms of one: the first that is there is taken.
_FORMS: Final = ("math", "tex-math", "textual-form")
# Publishers put a whole document of LaTeX around a formula.
_TEX: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
_PARAGRAPHS: Final = frozenset({"p", "disp-quote", "verse-group", "statement"})


def read_article(source: Source) -> Result[ReadPage, WebError]:
    """Return a paper or a patent as markdown; XML that is neither after all stays XML."""
    try:
        root = next(elements([source.body], "article", *_PATENTS, doctype=True), None)
    except (BrokenFileError, TooLargeError):
        return read_xml(source)
    if root is None:
        return read_xml(source)
    draft = _patent(root, source) if root.name in _PATENTS else _paper(root, source)
    return page_of(draft) if draft.content.strip() else read_xml(source)


def _paper(root: Node, source: Source) -> Draft:
    about = root.first("front", "article-meta") or root.first("front") or root
    title = _flat(about.first("title-group", "article-title"))
    authors = [_name(each) for each in about.walk() if each.name == "contrib"]
    blocks = [f"# {title}" if title else ""]
    for abstract in about.nodes("abstract"):
        blocks += ["## Abstract", *_blocks(abstract, 2, source.url)]
    for part in root.nodes("body", "back"):
        blocks += _blocks(part, 1, source.url)
    journal = root.first("front", "journal-meta", "journal-title-group", "journal-title")
    return Draft(
        content="\n\n".join(block for block in blocks if block),
        title=title or source.file_name,
        author=", ".join(author for author in authors if author),
        published_at=_date(about.first("pub-date")),
        language=root.get("lang"),
        site_name=_flat(journal),
    )


def _patent(root: Node, source: Source) -> Draft:
    title = _flat(next((each for each in root.walk() if each.name == "invention-title"), None))
    blocks = [f"# {title}" if title else ""]
    for name, heading in (("abstract", "Abstract"), ("description", ""), ("claims", "Claims")):
        part = root.first(name)
        if part:
            blocks += [f"## {heading}" if heading else "", *_blocks(part, 1, source.url)]
    inventors = [each for each in root.walk() if each.name == "inventor"]
    return Draft(
        content="\n\n".join(block for block in blocks if block),
        title=title or source.file_name,
        author=", ".join(filter(None, map(_name, inventors))),
        published_at=iso_date(_dashed(root.get("date-publ"))),
        language=root.get("lang"),
    )


def _blocks(node: Node, level: int, base: str) -> Iterator[str]:
    """Yield the parts of a section as blocks of markdown."""
    for child in node.nodes():
        if child.name in _PARAGRAPHS:
            yield _inline(child, base)
        elif child.name in _SPECIAL:
            yield _SPECIAL[child.name](child, base)
        elif child.name in ("title", "heading"):
            yield _heading(child, max(level, 2), base)
        elif child.name not in _UNSEEN:
            yield from _blocks(child, level + (child.name == "sec"), base)


def _heading(node: Node, level: int, base: str) -> str:
    text = " ".join(_inline(node, base).split())
    return f"{'#' * min(level, _LOWEST_HEADING)} {text}" if text else ""


def _list(node: Node, base: str, depth: int = 0) -> str:
    mark = "1." if node.get("list-type") in ("order", "alpha-lower", "roman-lower") else "-"
    lines: list[str] = []
    for item in node.nodes("list-item", "li"):
        text = " ".join(_inline(each, base).strip() for each in item.nodes() if each.name != "list")
        lines.append(f"{'   ' * depth}{mark} {' '.join(text.split())}")
        lines += [_list(each, base, depth + 1) for each in item.nodes("list")]
    return "\n".join(lines)


def _table(node: Node, base: str) -> str:
    rows = [
        [_inline(cell, base) for cell in row.nodes("td", "th", "entry")]
        for row in node.walk()
        if row.name in ("tr", "row")
    ]
    return "\n\n".join(filter(None, (_caption(node, base), table(rows))))


def _caption(node: Node, base: str) -> str:
    label, caption = node.first("label"), node.first("caption")
    words = (_flat(label), _inline(caption, base) if caption else "")
    return " ".join(" ".join(words).split())


def _reference(node: Node, base: str) -> str:
    cited = next((each for each in node.nodes() if each.name not in ("label", "note")), None)
    text = " ".join(_inline(cited, base, gap=" ").split()) if cited else ""
    return f"- {text}" if text else ""


def _claim(node: Node, base: str) -> str:
    return " ".join(_inline(node, base).split())


def _code(node: Node, _base: str) -> str:
    return fenced(node.words())


def _footnote(node: Node, base: str) -> str:
    return " ".join(" ".join((_flat(node.first("label")), _inline(node, base))).split())


def _inline(node: Node, base: str, gap: str = "") -> str:
    """Return the words of an element; ``gap`` stands between the parts of a citation."""
    return tamed(gap.join(_pieces(node, base))).strip()


def _pieces(node: Node, base: str) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield " ".join(child.split("\n"))
        elif child.name in _WITHIN:
            yield _WITHIN[child.name](child, base)
        elif child.name not in _UNSEEN:
            yield from _pieces(child, base)


def _sublist(node: Node, base: str) -> str:
    return f"\n{_list(node, base)}\n"


def _raised(node: Node, _base: str) -> str:
    return raised(node.words())


def _set_apart(node: Node, base: str) -> str:
    return f"\n\n{_displayed(node, base)}\n\n"


def _formula(node: Node, _base: str) -> str:
    """Return a formula between dollars, of several forms the one that says most."""
    forms = {each.name: each for each in [*node.walk()][::-1]}
    form = next((forms[name] for name in _FORMS if name in forms), None)
    if form is None:
        return " ".join(node.words().split())
    if form.name == "math":
        return f"${mathml(form)}$"
    tex = _TEX.search(form.words())
    plain = " ".join((tex[1] if tex else form.words()).split())
    return f"${plain.strip('$ ')}$" if form.name == "tex-math" else plain


def _displayed(node: Node, base: str) -> str:
    """Return a formula on lines of its own, with its number."""
    words = _inline(node, base)
    inside = words[1:-1]
    is_formula = len(words) > 1 and words[0] == words[-1] == "$" and "$" not in inside
    number = _flat(node.first("label"))
    return f"{f'$${inside}$$' if is_formula else words} {number}".strip()


def _link(node: Node, base: str) -> str:
    words = "".join(_pieces(node, base))
    return link(words, node.get("href") or words, base)


def _flat(node: Node | None) -> str:
    return " ".join(tamed(node.words()).split()) if node else ""


def _name(person: Node) -> str:
    """Return a person's name, given names first."""
    parts = {each.name: _flat(each) for each in person.walk()}
    given = parts.get("given-names") or parts.get("first-name", "")
    family = parts.get("surname") or parts.get("last-name", "")
    return f"{given} {family}".strip() or parts.get("collab", "")


def _date(node: Node | None) -> str | None:
    parts = {each.name: _flat(each) for each in node.nodes()} if node else {}
    year, month, day = (parts.get(name, "") for name in ("year", "month", "day"))
    if month.isdecimal() and day.isdecimal():
        return iso_date(f"{year}-{month:0>2}-{day:0>2}")
    return iso_date(f"{month or 'January'} 1, {year}") if year else None


def _dashed(digits: str) -> str:
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}"


_SPECIAL: Final[dict[str, Callable[[Node, str], str]]] = {
    "list": _list,
    "ul": _list,
    "ol": _list,
    "table-wrap": _table,
    "tables": _table,
    "fig": _caption,
    "ref": _reference,
    "claim": _claim,
    "code": _code,
    "preformat": _code,
    "fn": _footnote,
    "disp-formula": _displayed,
}
_WITHIN: Final[dict[str, Callable[[Node, str], str]]] = {
    **dict.fromkeys(("ext-link", "uri"), _link),
    **dict.fromkeys(("list", "ul", "ol"), _sublist),
    **dict.fromkeys(("alternatives", "math", "tex-math"), _formula),
    "disp-formula": _set_apart,
    "sup": _raised,
}
