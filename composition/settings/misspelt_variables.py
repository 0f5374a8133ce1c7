"""Variables of ours that are spelled nearly right: a guess, and no error.

A variable may be somebody else's, or of a service that a package brings; so only what is very near
to a setting is spoken of.
"""

import pkgutil
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from ...adapters import services
from .checks import known_keys

_OURS = "WEBSEAM_"
_OTHERS = (
    "WEBSEAM_CACHE",
    "WEBSEAM_CONFIG",
    "WEBSEAM_INDEX",
    "WEBSEAM_JSON_ALLOW_PLAIN_HTTP",
    "WEBSEAM_JSON_API_KEY",
    "WEBSEAM_JSON_EXTRACT_URL",
    "WEBSEAM_JSON_SEARCH_URL",
    "WEBSEAM_KEYS",
    "WEBSEAM_LEDGER",
    "WEBSEAM_SERVE_TOKEN",
    "WEBSEAM_TRUST_FOLDER",
)
# What any service or provider may be told, whatever its name.
_ENDINGS = (
    "_ALLOW_PLAIN_HTTP",
    "_API_KEY",
    "_BASE_URL",
    "_CONCURRENCY",
    "_PRICE",
    "_RATE",
)
_MIN_SIMILARITY = 0.85


def misspelling_warnings(names: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each variable that is nearly one of ours.

    >>> list(misspelling_warnings(["WEBSEAM_TIMOUT", "WEBSEAM_TIMEOUT", "HOME"]))
    ['WEBSEAM_TIMOUT is not a setting; did you mean WEBSEAM_TIMEOUT?']
    """
    ours = [name for name in names if name.startswith(_OURS)]
    if not ours:
        return
    known = {*_OTHERS, *(name for key in known_keys().values() for name in key.variables)}
    for name in sorted(set(ours) - known):
        near = [] if _is_of_a_service(name) else get_close_matches(name, known, 1, _MIN_SIMILARITY)
        if near:
            yield f"{name} is not a setting; did you mean {near[0]}?"


def _is_of_a_service(name: str) -> bool:
    files = pkgutil.iter_modules(services.__path__)
    starts = tuple(f"{_OURS}{file.name.upper()}_" for file in files)
    return name.endswith(_ENDINGS) or name.startswith(starts)
