"""The proxy that a call to a service or a model goes through."""

import msgspec

from .secrets import Secret


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """Where a proxy is. ``setting`` is the variable or setting that names it, for error messages.

    ``credentials`` is what a ``Proxy-Authorization`` header says, or nothing.
    """

    host: str
    port: int
    credentials: Secret
    setting: str
