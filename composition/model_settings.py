"""What the settings say about models: which providers there are, and who calls them."""

from collections.abc import Mapping

from msgspec.structs import replace
from returns.result import Result, Success

from ..adapters.models.aws.account import KEYS, aws_account
from ..adapters.models.catalogue.registry import Registry, discover
from ..adapters.models.catalogue.settings import declare_all
from ..adapters.models.declaration.account import Account
from ..adapters.models.declaration.provider import Provider
from ..ports.errors import NotConfigured
from .aws_profiles import PROFILE, with_profile
from .settings import Settings
from .settings.origins import Entry
from .settings.trust import is_foreign

_BLOCK = "providers"
_KEY = "api_key"


def known_providers(settings: Settings) -> Result[Registry, NotConfigured]:
    """Return every provider: ours, those of installed packages, and what the settings declare."""
    return declare_all(_declared(settings), discover().registry)


def account_of(provider: Provider, settings: Settings) -> Result[Account, NotConfigured]:
    """Return the account that the user has with a provider, or what is missing for one.

    Only where there is none may the ``.env`` of a working folder give one. The two are never mixed:
    an address that came with a folder must not get the user's key.
    """
    own: Mapping[str, str] = settings.variables.texts(
        lambda entry: not is_foreign(entry.origin, settings.file)
    )
    if provider.account is aws_account:
        own = with_profile(own)
    account = provider.account(provider, own)
    if isinstance(account, Success) and account.unwrap().secrets():
        return account
    given = provider.account(provider, settings.variables.texts(lambda _entry: True))
    named = own.get(PROFILE, "").strip() if provider.account is aws_account else ""
    return given.alt(lambda missing: _keyless(missing, named)) if named else given


def _keyless(missing: NotConfigured, profile: str) -> NotConfigured:
    """Tell where keys are to be had if a profile has none, rather than what is wrong with it."""
    if KEYS not in missing.setting:
        return missing
    command = f"aws configure export-credentials --profile {profile} --format env"
    reason = f"The AWS profile {profile!r} has no keys of its own; `{command}` may print some"
    return replace(missing, reason=reason)


def _declared(settings: Settings) -> Mapping[str, object]:
    """Return the block ``providers`` as it was written."""
    block: dict[str, object] = {}
    for path, entry in settings.entries.below((_BLOCK,)).items():
        held = block
        for name in path[:-1]:
            # Each part of a path above a value is a block.
            held = held.setdefault(name, {})  # type: ignore[assignment]
        held[path[-1]] = _value(path[-1], entry)
    return block


def _value(name: str, entry: Entry) -> object:
    # A key of digits alone stays the key that it is.
    return entry.texts[0] if name == _KEY and len(entry.texts) == 1 else entry.value
