"""Ollama on this machine, and its cloud. ``OLLAMA_HOST`` is understood as Ollama does."""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Result

from ....ports.errors import NotConfigured
from ..declaration.provider import Account, Changes, FieldRules, Login, Provider, read_account
from .custom import CUSTOM, num_ctx, without_thinking

_PORT = 11434


def read_ollama(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Read the account; ``OLLAMA_HOST`` says where, unless a whole address is given."""
    host = environment.get("OLLAMA_HOST", "").strip().rstrip("/")
    named = replace(login, base_url=_address(host)) if host else login
    return read_account(named, title, environment)


def _address(host: str) -> str:
    """Complete a host: it may come with or without scheme and port.

    >>> _address("0.0.0.0"), _address("https://box.example:8443")
    ('http://127.0.0.1:11434/v1', 'https://box.example:8443/v1')
    """
    scheme, _, rest = host.rpartition("://")
    # A server listens on all addresses; a caller takes the nearest.
    name = rest.replace("0.0.0.0", "127.0.0.1")  # noqa: S104  it is replaced, not bound
    port = "" if scheme or ":" in name.rpartition("]")[2] else f":{_PORT}"
    return f"{scheme or 'http'}://{name}{port}/v1"


OLLAMA = Provider(
    name="ollama",
    title="Ollama",
    site="https://docs.ollama.com",
    login=Login(
        env=("OLLAMA_API_KEY",),
        base_url=f"http://127.0.0.1:{_PORT}/v1",
        base_url_env="OLLAMA_BASE_URL",
        place_env=("OLLAMA_HOST",),
        needs_key=False,
        read=read_ollama,
    ),
    fields=FieldRules(efforts=CUSTOM.fields.efforts),
    changes=Changes(reasoning=without_thinking, options={"num_ctx": num_ctx}),
)

# "minimal" is a 400 here, and off is an effort of "none" alone.
OLLAMA_CLOUD = Provider(
    name="ollama-cloud",
    title="Ollama Cloud",
    site="https://docs.ollama.com/cloud",
    login=Login(env=("OLLAMA_API_KEY",), base_url="https://ollama.com/v1"),
    fields=FieldRules(efforts=("none", "low", "medium", "high", "max")),
    auxiliary_model="nemotron-3-nano:30b",
)
