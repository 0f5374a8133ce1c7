"""References to variables in a file of Hermes: ``${NAME}``. Files of ours have none."""

import re
from collections.abc import Mapping

import msgspec

from .entries import Variables
from .origins import Entry, KeyPath

_REFERENCE = re.compile(r"\$\{([^}]+)\}")


def expanded(entries: Mapping[KeyPath, Entry], variables: Variables) -> dict[KeyPath, Entry]:
    """Return entries with each reference filled in; one that leads nowhere stays as it is."""

    def value_of(reference: re.Match[str]) -> str:
        entry = variables.first(reference[1])
        return reference[0] if entry is None else str(entry.value)

    def filled(entry: Entry) -> Entry:
        if not isinstance(entry.value, str) or "${" not in entry.value:
            return entry
        text = _REFERENCE.sub(value_of, entry.value)
        return msgspec.structs.replace(entry, value=text, texts=(text,))

    return {path: filled(entry) for path, entry in entries.items()}
