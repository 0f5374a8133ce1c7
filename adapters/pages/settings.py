"""How the page reader is set up, in words that cost nothing to load."""

from typing import Literal, TypeAlias

import msgspec

Rendering: TypeAlias = Literal["never", "auto", "always"]


class BrowserSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings under ``render``: the program, None to look for one, and its sandbox.

    Chromium cannot use its sandbox when it runs as root, so root never has one.
    """

    browser: str | None = None
    sandbox: bool = True
