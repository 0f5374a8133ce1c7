"""The settings under ``sites``, headers and cookies for one origin each, and ``pages.signing``."""

import hashlib
import os
import re
from importlib.util import find_spec
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.fetch import user_headers
from webseam.kernel.text.display import quote_value
from webseam.kernel.urls.service_endpoints import is_loopback
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.errors import InvalidSetting, NotConfigured, WebError
from webseam.ports.secrets import Secret

from .entries import Entries, Entry, KeyPath, setting_path_text
from .schema import Settings

_BLOCK = "sites"
_SIGNING_PATH = ("pages", "signing")
_UNTRUSTED_REASON = "is taken only from a settings file that you trust"
# RFC 9110, 5.6.2 and 5.5: a name is a token; a value has no blanks around it.
_HEADER_NAME_PATTERN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_HEADER_VALUE_PATTERN = re.compile(r"[!-~](?:[ -~]{0,8000}[!-~])?")
# The fetcher writes these itself.
_OWN_HEADERS = frozenset({
    "accept", "accept-encoding", "connection", "content-length", "host", "signature",
    "signature-agent", "signature-input", "te", "trailer", "transfer-encoding", "upgrade",
    "user-agent",
})  # fmt: skip


class SiteSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What goes to each origin. ``digest`` changes with all of it; it is empty without any.

    A page that was read with cookies is another page, also in the cache.
    """

    origins: user_headers.Sites = {}
    digest: str = ""


class PageFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What the files that settings name hold: cookies for sites, and the key that signs requests.

    Who reads settings once reads these files at the same time. Otherwise a client that opens later,
    or a worker that is started again, would have other cookies than the rest, or none.
    """

    sites: SiteSettings
    signer: user_headers.PageSigner | None = None

    @property
    def digest(self) -> str:
        """A text that changes with every one of the files."""
        return f"{self.sites.digest} {'' if self.signer is None else self.signer.key_id}"


def read_page_files(settings: Settings) -> Result[PageFiles, WebError]:
    """Read the files under ``sites`` and ``pages.signing``, or return what is wrong with one."""
    if isinstance(sites := site_settings(settings.entries), Failure):
        return sites
    return page_signer(settings).map(lambda signer: PageFiles(sites=sites.unwrap(), signer=signer))


def site_settings(entries: Entries) -> Result[SiteSettings, InvalidSetting]:
    """Return what goes to each origin, or an error for the first wrong entry."""
    origins: dict[tuple[str, str], user_headers.SiteAccess] = {}
    digest = hashlib.blake2b(digest_size=8)
    for host in entries.names_below((_BLOCK,)):
        site = user_headers.SiteAccess(headers={})
        for path, entry in entries.entries_below((_BLOCK, host)).items():
            if isinstance(changed := _add_site_entry(site, host, path, entry), Failure):
                setting, place = setting_path_text((_BLOCK, host, *path)), str(entry.origin)
                reason = changed.failure()
                return Failure(InvalidSetting(setting=setting, place=place, reason=reason))
            site = changed.unwrap()
        headers = sorted((name, value.reveal()) for name, value in site.headers.items())
        cookies = [*map(repr, site.cookies or ())]
        digest.update(repr((host, headers, cookies)).encode())
        origins |= dict.fromkeys(_site_origins(host), site)
    return Success(SiteSettings(origins=origins, digest=digest.hexdigest() if origins else ""))


def _site_origins(host: str) -> list[tuple[str, str]]:
    """Return the origins of a host: https, and http on this machine; none if it is no host."""
    targets = [parse_target(f"{scheme}://{host}/").value_or(None) for scheme in ("https", "http")]
    return [
        (target.scheme, target.authority)
        for target in targets
        if target and target.path == "/" and (target.scheme == "https" or is_loopback(target.host))
    ]


def _add_site_entry(
    site: user_headers.SiteAccess, host: str, path: KeyPath, entry: Entry
) -> Result[user_headers.SiteAccess, str]:
    """Return the site with one more setting, or what is wrong with it."""
    if not _is_in_trusted_file(entry):
        return Failure(_UNTRUSTED_REASON)
    if not _site_origins(host):
        return Failure("is not below a host such as wiki.example.com or wiki.example.com:8443")
    if path == ("cookies_file",):
        # A relative path is relative to the settings file that names it.
        folder = Path(entry.origin.name).absolute().parent
        cookies = user_headers.read_cookies_file(folder / Path(str(entry.value)).expanduser())
        return cookies.map(lambda jar: msgspec.structs.replace(site, cookies=jar))
    value = "".join(entry.texts)
    if problem := _explain_site_header(path, value):
        return Failure(problem)
    headers = {**site.headers, path[1]: Secret(value)}
    return Success(msgspec.structs.replace(site, headers=headers))


def _is_in_trusted_file(entry: Entry) -> bool:
    return entry.origin.layer == "file" and not entry.origin.foreign


def _explain_site_header(path: KeyPath, value: str) -> str:
    if path[0] != "headers" or len(path) != 2:  # noqa: PLR2004  headers and a name
        return "is not a setting of a site; headers and cookies_file are"
    if not _HEADER_NAME_PATTERN.fullmatch(path[1]) or path[1].lower() in _OWN_HEADERS:
        return "is not a header that can be set"
    return (
        "" if _HEADER_VALUE_PATTERN.fullmatch(value) else "must be one line of printable ASCII text"
    )


def page_signer(settings: Settings) -> Result[user_headers.PageSigner | None, WebError]:
    """Return what signs requests for pages; None unless ``pages.signing`` is set."""
    signing, entries = settings.pages.signing, settings.entries.entries_below(_SIGNING_PATH)
    if not entries:
        return Success(None)
    if find_spec("cryptography") is None:
        reason = "Requests are signed with cryptography, which is not installed"
        remedy = "Run: pip install 'webseam[signing]'"
        return Failure(NotConfigured(reason=reason, remedy=remedy))
    untrusted = [path[0] for path, entry in entries.items() if not _is_in_trusted_file(entry)]
    agent, name = parse_target(signing.agent).value_or(None), "agent"
    if untrusted:
        name, reason = untrusted[0], _UNTRUSTED_REASON
    elif agent is None or agent.scheme != "https" or agent.path != "/":
        reason = f"{quote_value(signing.agent or '')} is not an https origin like https://a.example"
    else:
        path = Path(os.path.expanduser(signing.key_file or ""))  # noqa: PTH111  it never raises
        if not isinstance(signer := user_headers.read_page_signer(path, agent.authority), Failure):
            return Success(signer.unwrap())
        name, reason = "key_file", f"{quote_value(signing.key_file or '', 500)} {signer.failure()}"
    entry = entries.get((name,), next(iter(entries.values())))
    setting = setting_path_text((*_SIGNING_PATH, name))
    return Failure(InvalidSetting(setting=setting, place=str(entry.origin), reason=reason))
