"""Ollama on this machine, and its cloud. ``OLLAMA_HOST`` works as for Ollama itself."""

from msgspec.structs import replace

from ..declaration import provider
from ..declaration.rules import FAMILY_RULES
from .custom import CUSTOM, ollama_num_ctx_option, ollama_reasoning

_DEFAULT_PORT = 11434
# The cloud answers 400 to "minimal", and an effort of "none" is enough to switch thinking off.
OLLAMA_CLOUD = provider.Provider(
    name="ollama-cloud",
    title="Ollama Cloud",
    site="https://docs.ollama.com/cloud",
    login=provider.Login(env=("OLLAMA_API_KEY",), base_url="https://ollama.com/v1"),
    fields=provider.FieldRules(
        efforts=("none", "low", "medium", "high", "max"),
        models=FAMILY_RULES,
    ),
    auxiliary_model="nemotron-3-nano:30b",
)


def read_ollama_account(
    login: provider.Login, title: str, environment: provider.Environment
) -> provider.AccountResult:
    """Read the account; ``OLLAMA_HOST`` gives the base URL unless one is set."""
    host = environment.get("OLLAMA_HOST", "").strip().rstrip("/")
    with_base_url = replace(login, base_url=_base_url(host)) if host else login
    return provider.read_account(with_base_url, title, environment)


def _base_url(host: str) -> str:
    """Return the base URL of a host with or without scheme and port.

    >>> _base_url("0.0.0.0")
    'http://127.0.0.1:11434/v1'
    >>> _base_url("https://box.example:8443")
    'https://box.example:8443/v1'
    """
    scheme, _, rest = host.rpartition("://")
    # 0.0.0.0 is an address to listen on; a client connects to 127.0.0.1.
    name = rest.replace("0.0.0.0", "127.0.0.1")  # noqa: S104  it is replaced, not bound
    port = "" if scheme or ":" in name.rpartition("]")[2] else f":{_DEFAULT_PORT}"
    return f"{scheme or 'http'}://{name}{port}/v1"


OLLAMA = provider.Provider(
    name="ollama",
    title="Ollama",
    site="https://docs.ollama.com",
    login=provider.Login(
        env=("OLLAMA_API_KEY",),
        base_url=f"http://127.0.0.1:{_DEFAULT_PORT}/v1",
        base_url_env="OLLAMA_BASE_URL",
        place_env=("OLLAMA_HOST",),
        needs_key=False,
        read=read_ollama_account,
    ),
    fields=CUSTOM.fields,
    changes=provider.Changes(
        reasoning=ollama_reasoning,
        options={"num_ctx": ollama_num_ctx_option},
    ),
)
