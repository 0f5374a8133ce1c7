"""The machine's own Chromium or Chrome."""

import os
import shutil
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured, UnsupportedCapability

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "chrome-headless-shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_SETTING = "render.browser"


def find_browser(
    named: str | None, environment: Mapping[str, str], system: str = os.name
) -> Result[str, NotConfigured | UnsupportedCapability]:
    """Return the browser that is named, or the first of the usual ones that is there.

    A named one that is not there is an error: nobody's choice is replaced by another.
    """
    if system != "posix":
        return Failure(UnsupportedCapability(capability="render pages on this system"))
    path = environment.get("PATH", os.defpath)
    for name in NAMES if named is None else (named,):
        found = shutil.which(name, path=path)
        if found is not None:
            return Success(found)
    return Failure(_missing(named))


def _missing(named: str | None) -> NotConfigured:
    if named is not None:
        reason = f"{named!r} is not a program on this machine"
        return NotConfigured(setting=f"{_SETTING} to Chromium or Chrome", reason=reason)
    reason = "Rendering needs Chromium or Chrome, and neither was found: install one"
    return NotConfigured(setting=f"{_SETTING} if it is in an unusual place", reason=reason)
