"""Keys of a gateway, made by its own command."""

import json

from tests.doors.cli.run import webseam

from .asgi import Site


def new_key(site: Site, name: str, *arguments: str) -> str:
    ran = webseam("keys", "add", name, *arguments, "--json", XDG_DATA_HOME=str(site.home / "data"))
    return str(json.loads(ran.out)["data"]["key"])


def bearer_of_new_key(site: Site, name: str, *arguments: str) -> str:
    return f"Bearer {new_key(site, name, *arguments)}"
