"""Name the keys of a backend's answer that webseam does not read.

The kernel has one name for a thing. A row with its text under another name is refused, because an
empty snippet would look like an answer without text. Any other key that webseam does not know is
named in the receipt: only the name, never the value. A name close to one of ours gets a warning.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from webseam.ports.text import nearest_name

from ..text.display import is_plain_text

_MAX_WARNINGS = 5
_MIN_NAME_SIMILARITY = 0.8  # snipet is close to snippet; original_url is not close to final_url
# The names that other APIs have for our fields, in the order in which they are tried.
FOREIGN_NAMES: Mapping[str, tuple[str, ...]] = {
    "snippet": ("description", "content", "body", "text", "abstract", "summary"),
    "content": ("markdown", "text", "raw_content"), "url": ("link", "href"), "title": ("name",),
}  # fmt: skip
_DATE_NAMES = frozenset({"date", "pubdate", "publishdate", "published", "publisheddate"})


def explain_foreign_name(fields: Collection[object], name: str) -> str | None:
    """Return the reason why ``fields`` lack ``name``, if they have it under a foreign name.

    >>> explain_foreign_name({"description": "High and low."}, "snippet")
    "has `description`; the seam's name is `snippet`"
    """
    if name in fields or name not in FOREIGN_NAMES:
        return None
    foreign = next((other for other in FOREIGN_NAMES[name] if other in fields), None)
    return None if foreign is None else f"has `{foreign}`; the seam's name is `{name}`"


def split_unread(
    fields: Mapping[Any, object], declared: Collection[str]
) -> tuple[dict[Any, object], list[str]]:
    """Return the fields without the keys that are not declared, and these keys.

    A key that cannot be the name of a field stays, so that the check of the fields refuses it.
    """
    unread = [name for name in fields if is_plain_text(name) and name not in declared]
    if not unread:
        return dict(fields), []
    return {name: fields[name] for name in fields if name not in unread}, unread


def unread_warnings(
    names: Iterable[str], declared: Collection[str], present: Collection[str]
) -> tuple[str, ...]:
    """Return a warning for each of ``names`` that is a near miss of a declared field.

    A field that is ``present`` was not misspelt, so only another letter case is a near miss of it.
    A foreign name of a field that is empty everywhere is one, too: it may hold its text.
    """
    warnings = []
    for name in names:
        meant = _meant_field(name, declared, present)
        if meant:
            warnings.append(f"`{name}` is not read; the seam's name is `{meant}`")
    return tuple(warnings[:_MAX_WARNINGS])


def _meant_field(name: str, declared: Collection[str], present: Collection[str]) -> str:
    folded = _fold_name(name)
    same = next((field for field in declared if _fold_name(field) == folded), "")
    if same:
        return same
    absent = [field for field in declared if field not in present]
    if folded in _DATE_NAMES and "published_at" in absent:
        return "published_at"
    for field in absent:
        if folded in map(_fold_name, FOREIGN_NAMES.get(field, ())):
            return field
    return nearest_name(name, absent, _MIN_NAME_SIMILARITY)


def _fold_name(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
