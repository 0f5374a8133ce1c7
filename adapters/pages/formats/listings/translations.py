"""Texts beside their translations: XLIFF and TMX.

https://docs.oasis-open.org/xliff/ and https://www.gala-global.org/tmx-14b
"""

from collections.abc import Iterator

from ..articles.words import flat
from ..markup import table
from ..office.xml import Node

_LONGEST_TABLE = 20_000
_MOST_LANGUAGES = 30


def translations(root: Node, _base: str) -> Iterator[str]:
    """Yield a table for each file, or one for all."""
    if root.name == "tmx":
        yield _memory(root)
        return
    for file in root.nodes("file"):
        name = file.get("original") or file.get("id")
        yield f"## {' '.join(name.split())}" if name else ""
        yield _file(file, root)


def _file(file: Node, root: Node) -> str:
    source = file.get("source-language") or root.get("srcLang") or "source"
    target = file.get("target-language") or root.get("trgLang") or "target"
    units = (unit for unit in file.walk() if unit.name in ("trans-unit", "segment"))
    rows = [[source, target]]
    for unit in units:
        notes = [flat(each) for each in unit.nodes("note")]
        pair = [flat(unit.first("source")), flat(unit.first("target"))]
        rows.append([*pair, *filter(None, [" ".join(notes)])])
    return table(rows[:_LONGEST_TABLE]) if len(rows) > 1 else ""


def _memory(root: Node) -> str:
    units = [unit for unit in root.walk() if unit.name == "tu"][:_LONGEST_TABLE]
    known = [
        {each.get("lang"): flat(each.first("seg")) for each in unit.nodes("tuv")} for unit in units
    ]
    every = dict.fromkeys(language for unit in known for language in unit)
    languages = list(every)[:_MOST_LANGUAGES]
    rows = [[unit.get(language, "") for language in languages] for unit in known]
    return table([languages, *rows]) if rows else ""
