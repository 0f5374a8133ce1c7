"""Define the proxy of a call to a service or a model."""

import msgspec

from .secrets import Secret


class Proxy(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy's address. ``setting`` is the variable or setting that names it, for errors.

    ``credentials`` is the value of the ``Proxy-Authorization`` header, or empty.
    """

    host: str
    port: int
    credentials: Secret
    setting: str
