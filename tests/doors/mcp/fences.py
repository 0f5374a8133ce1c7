"""Find the texts of a result that stand outside of fences."""

import re
from collections.abc import Iterator

from webseam.kernel.text.fence import FENCE_NAME


def strings_of(value: object) -> Iterator[str]:
    """Give every text in a JSON value, the names of fields too."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield name
            yield from strings_of(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings_of(each)
    elif isinstance(value, str):
        yield value


_FENCED = re.compile(rf'<{FENCE_NAME} id="(\w+)">.*?</{FENCE_NAME} id="\1">', re.DOTALL)


def outside_fences(text: str) -> str:
    """Give what a model reads as words of webseam."""
    return _FENCED.sub("", text)
