"""The block ``serve`` of the settings."""

from typing import Annotated

import msgspec
from msgspec import Meta

from webseam.ports.secrets import Secret

from ...settings.schema import Name, Seconds, no_secret


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where the gateway listens, who may call it, and how many calls run at once.

    On a loopback address it needs no key, unless ``token`` or ``require_key`` is set. ``hosts`` are
    the names of the server, ``origins`` the pages that may call it, ``proxies`` the addresses of
    trusted proxies, ``prefix`` the path below which a proxy offers it. A shutdown waits ``drain``
    seconds for open calls. ``workers`` processes share the port.
    """

    host: Name = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8787
    token: Secret = msgspec.field(default_factory=no_secret)
    require_key: bool = False
    hosts: tuple[Name, ...] = ()
    origins: tuple[Name, ...] = ()
    proxies: tuple[Name, ...] = ()
    prefix: Annotated[str, Meta(pattern=r"^(?:/[A-Za-z0-9._~-]+)*\Z")] = ""
    certificate: str | None = None
    certificate_key: str | None = None
    body_kilobytes: Annotated[int, Meta(ge=1, le=65_536)] = 1024
    timeout: Seconds = 50.0
    drain: Seconds = 20.0
    at_once: Annotated[int, Meta(ge=1, le=10_000)] = 64
    waiting: Annotated[int, Meta(ge=1, le=100_000)] = 512
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
