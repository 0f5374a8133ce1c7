"""Fields that others know by another name: told under both, and taken by whichever was changed."""

from collections.abc import Mapping


def shown(payload: object, names: Mapping[str, str]) -> object:
    """Return ``payload`` with its fields under their other names too; ``names`` are theirs to ours.

    >>> shown({"query": "q", "max_results": 9}, {"limit": "max_results"})
    {'query': 'q', 'max_results': 9, 'limit': 9}
    """
    if not isinstance(payload, dict):
        return payload
    return payload | {other: payload[ours] for other, ours in names.items() if ours in payload}


def taken(before: object, given: object, names: Mapping[str, str]) -> object:
    """Return what was made of ``before`` under our names alone.

    >>> names = {"limit": "max_results"}
    >>> taken({"max_results": 9}, {"max_results": 9, "limit": 3}, names)
    {'max_results': 3}
    >>> taken({"max_results": 9}, {"max_results": 3, "limit": 9}, names)
    {'max_results': 3}
    """
    if not isinstance(given, dict):
        return given
    fields = dict(given)
    for other in names.keys() & fields.keys():
        ours, said = names[other], fields.pop(other)
        changed = not isinstance(before, dict) or before.get(ours) != said
        if changed or ours not in fields:
            fields[ours] = said
    return fields
