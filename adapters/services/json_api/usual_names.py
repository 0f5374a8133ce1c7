"""The names that other APIs have for the fields of a row, and what of a row was read.

A described service is the one place where a foreign name becomes ours. The settings say which name
a field has; a field that they do not mention has one of the usual names, ours first.
"""

from collections.abc import Iterable, Mapping, Sequence

from ..operations import RowSurvey

USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name"),
    "url": ("url", "link", "href"),
    "snippet": ("snippet", "description", "content", "body", "text", "abstract", "summary"),
}
_MAX_SURVEYED_ROWS = 100


def usual_name(row: Mapping[str, object], field: str) -> str:
    """Return the name under which a row has a field: the first with a value, or ours.

    >>> usual_name({"description": None, "content": "High and low."}, "snippet")
    'content'
    """
    names = USUAL_NAMES.get(field, (field,))
    return next((name for name in names if row.get(name) not in (None, "")), field)


def survey_rows(
    rows: object,
    fields: Sequence[str],
    own_names: Iterable[str] = (),
    documented: Iterable[str] = (),
) -> RowSurvey:
    """Return what of rows is read: ``fields`` by their usual names, and all of ``own_names``.

    A foreign name that is ``documented`` as the API's own is not told.

    >>> survey_rows([{"body": "High.", "engine": "x"}], ["snippet", "url"])
    RowSurvey(unread=('engine',), renamed={'body': 'snippet'})
    """
    renamed: dict[str, str] = {}
    unread: dict[str, None] = {}
    settled, expected = frozenset(own_names), frozenset(documented)
    for row in rows[:_MAX_SURVEYED_ROWS] if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        names = {usual_name(row, field): field for field in fields}
        foreign = [name for name in names if name != names[name] and name not in expected]
        renamed |= {name: names[name] for name in foreign}
        left = (name for name in row if name not in names and name not in settled)
        # An empty value says nothing that could be lost.
        unread |= {name: None for name in left if row[name] not in (None, "")}
    return RowSurvey(unread=tuple(unread), renamed=renamed)
