"""Settings of the page reader, in a module that is cheap to import."""

from typing import Literal, TypeAlias

import msgspec

Rendering: TypeAlias = Literal["never", "auto", "always"]
PagePreference: TypeAlias = Literal["html", "markdown"]
AcceptedTypes: TypeAlias = PagePreference | Literal["html only"]


class BrowserSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``render``: the program (None to search for one) and its sandbox.

    Chromium refuses its sandbox to root, so root starts it as user ``nobody``. An unavailable
    sandbox is an error; the browser never starts without one.
    """

    browser: str | None = None
    sandbox: bool = True
