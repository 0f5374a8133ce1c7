"""Guess misspelt ``WEBSEAM_`` variables and warn about them.

A variable may belong to other software or to a plugin's service, so only names very close to a
setting count.
"""

import pkgutil
from collections.abc import Iterable, Iterator

from webseam.adapters.services import vendors as services
from webseam.ports.text import nearest_name

from .checks import known_setting_keys
from .file_locations import FILE_VARIABLES

_VARIABLE_PREFIX = "WEBSEAM_"
_OTHER_NAMES = (
    *FILE_VARIABLES, "WEBSEAM_JSON_ALLOW_PLAIN_HTTP", "WEBSEAM_JSON_API_KEY",
    "WEBSEAM_JSON_EXTRACT_URL", "WEBSEAM_JSON_SEARCH_URL", "WEBSEAM_SERVE_TOKEN",
    "WEBSEAM_TRUST_FOLDER",
)  # fmt: skip
# Options that every service or provider has.
_SERVICE_OPTION_ENDINGS = (
    "_ALLOW_PLAIN_HTTP", "_API_KEY", "_BASE_URL", "_CONCURRENCY", "_PRICE", "_RATE",
)  # fmt: skip
_MIN_SIMILARITY = 0.85


def misspelling_warnings(names: Iterable[str]) -> Iterator[str]:
    """Yield a warning for each variable that is nearly a setting's.

    >>> list(misspelling_warnings(["WEBSEAM_TIMOUT", "WEBSEAM_TIMEOUT", "HOME"]))
    ['WEBSEAM_TIMOUT is not a setting; did you mean WEBSEAM_TIMEOUT?']
    """
    candidates = {name for name in names if name.startswith(_VARIABLE_PREFIX)} - set(_OTHER_NAMES)
    if not candidates:
        return
    valid = {name for key in known_setting_keys().values() for name in key.variables}
    valid |= set(_OTHER_NAMES)
    for name in sorted(candidates - valid):
        meant = nearest_name(name, valid, _MIN_SIMILARITY)
        if meant and not _is_service_variable(name):
            yield f"{name} is not a setting; did you mean {meant}?"


def _is_service_variable(name: str) -> bool:
    files = pkgutil.iter_modules(services.__path__)
    prefixes = tuple(f"{_VARIABLE_PREFIX}{file.name.upper()}_" for file in files)
    return name.endswith(_SERVICE_OPTION_ENDINGS) or name.startswith(prefixes)
