"""The names that other APIs have for the fields of a row, and what of a row was read.

A described service is the one place where a foreign name becomes ours. The settings say which name
a field has; a field that they do not mention has one of the usual names, ours first.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..operations import RowSurvey

USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "name"),
    "url": ("url", "link", "href"),
    "snippet": ("snippet", "description", "content", "body", "text", "abstract", "summary"),
}
_NO_VALUES = (None, "")


def objects_of(rows: object) -> list[dict[str, Any]]:
    """Return the objects of a list; none of anything else."""
    if type(rows) is not list:
        return []
    if {*map(type, rows)} == {dict}:
        return rows
    return [row for row in rows if type(row) is dict]


def names_in_use(
    rows: Iterable[Mapping[str, object]], fields: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return under which of its usual names each field stands in some of the rows.

    Nearly always that is one name for all rows, so that no row has to be searched for it.

    >>> names_in_use([{"url": "https://a.example/", "body": "High."}], ["url", "snippet", "score"])
    {'url': ('url',), 'snippet': ('body',)}
    """
    present: set[str] = set().union(*rows)
    names = {
        field: tuple([name for name in USUAL_NAMES.get(field, (field,)) if name in present])
        for field in fields
    }
    return {field: names[field] for field in fields if names[field]}


def name_with_value(row: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the first of a field's names that has a value in a row, or the first.

    >>> name_with_value({"description": None, "content": "High."}, ("description", "content"))
    'content'
    """
    if len(names) == 1:
        return names[0]
    return next((name for name in names if row.get(name) not in _NO_VALUES), names[0])


def survey_rows(
    rows: object,
    fields: Sequence[str],
    own_names: Iterable[str] = (),
    documented: Iterable[str] = (),
) -> RowSurvey | None:
    """Return what of rows is read: ``fields`` by their usual names, and all of ``own_names``.

    None means that all of them are read under expected names.

    A foreign name that is ``documented`` as the API's own is not told.

    >>> survey_rows([{"body": "High.", "engine": "x"}], ["snippet", "url"])
    RowSurvey(unread=('engine',), renamed={'body': 'snippet'})
    """
    objects = objects_of(rows)
    in_use = names_in_use(objects, fields)
    read, expected = {*own_names}, {*documented}
    renamed: dict[str, str] = {}
    left: set[str] = set()
    for field, names in in_use.items():
        taken = names
        if len(names) > 1:
            taken = tuple({name_with_value(row, names): None for row in objects})
            left |= _names_beside(objects, names)
        read.update(names)
        renamed |= {name: field for name in taken if name != field and name not in expected}
    left |= set().union(*objects) - read
    if not left and not renamed:
        return None
    # An empty value says nothing that could be lost, or that was taken.
    valued = [name for row in objects for name in row if row[name] not in _NO_VALUES]
    names_in_order = dict.fromkeys(valued)
    return RowSurvey(
        unread=tuple(name for name in names_in_order if name in left),
        renamed={name: renamed[name] for name in names_in_order if name in renamed},
    )


def _names_beside(rows: Iterable[dict[str, Any]], names: tuple[str, ...]) -> set[str]:
    """Return those of a field's names that have a value in a row which has it under another."""
    beside: set[str] = set()
    for row in rows:
        valued = [name for name in names if row.get(name) not in _NO_VALUES]
        beside.update(valued[1:])
    return beside
