"""How the page reader is set up, in words that cost nothing to load."""

from typing import Literal, TypeAlias

import msgspec

Rendering: TypeAlias = Literal["never", "auto", "always"]


class BrowserSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``render``: the program, None to look for one, and its sandbox.

    Chromium refuses its sandbox to root, so root starts it as nobody. A sandbox that cannot be had
    is an error, never a browser without one.
    """

    browser: str | None = None
    sandbox: bool = True
