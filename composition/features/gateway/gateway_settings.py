"""Read the settings of a gateway, refuse those that cannot serve, and hand them to its workers.

Each reading is one value: the settings files, the ``.env`` files, the cookies of sites and the key
that signs requests, as they were at one moment. Who gets this value opens no settings file again,
so a file that breaks later breaks nothing, and all processes of a gateway have the same settings.
"""

from __future__ import annotations

import pickle

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidSetting, NotConfigured, WebError

from ...settings.file_locations import FileLocations, path_exists
from ...settings.schema import Settings
from ...settings.settings_folder import CONFIG_VARIABLE, unusable_settings_error
from ...settings.site_settings import read_page_files
from ...tools.toolbox import ToolboxOverrides, open_toolbox
from ...wiring.backend_rows import Root
from ...wiring.root import read_root, root_of_settings
from .shared_clients import SharedClients


class SettingsReader:
    """Reads the settings, at the start and at each reload."""

    def __init__(self, parts: ToolboxOverrides) -> None:
        """Read as ``parts`` say, whose settings win."""
        self._parts = parts
        self._file = FileLocations(parts.environment).config_file
        self._was_there = self._had_settings = False

    def read(self) -> Result[Root, WebError]:
        """Return the settings as they are now; what is half written or gone is refused."""
        if self._was_there and not path_exists(self._file):
            # Without the file, everything that it forbids would be allowed.
            return unusable_settings_error(self._file, CONFIG_VARIABLE, "is not there any more")
        self._was_there = path_exists(self._file)
        root = read_root(self._parts.environment, arguments=self._parts.settings)
        if isinstance(root, Failure):
            return root
        entries = root.unwrap().settings.entries
        has_settings = any(entry.origin.layer == "file" for _, entry in entries)
        if self._had_settings and not has_settings:
            # An editor may have emptied the file and not written it yet.
            return unusable_settings_error(self._file, CONFIG_VARIABLE, "sets nothing any more")
        self._had_settings = has_settings
        return _with_page_files(root.unwrap())


def _with_page_files(root: Root) -> Result[Root, WebError]:
    files = read_page_files(root.settings)
    return files.map(lambda files: msgspec.structs.replace(root, page_files=files))


def pack_settings(root: Root) -> bytes:
    """Return settings as bytes for another process of this gateway.

    Cookies and the signing key are not in them: neither can be copied. The other process reads
    their files itself, and refuses what is not as it was here.
    """
    digest = "" if root.page_files is None else root.page_files.digest
    return pickle.dumps((root.settings, digest))


def unpack_settings(data: bytes, files: FileLocations) -> Result[Root, WebError]:
    """Return the settings that another process of this gateway packed."""
    # Only the supervisor writes to the pair of sockets that this comes from.
    settings, digest = pickle.loads(data)  # noqa: S301  our own bytes
    root: Result[Root, WebError] = root_of_settings(settings, files)
    return root.bind(_with_page_files).bind(lambda root: _same_page_files(root, digest))


def _same_page_files(root: Root, digest: str) -> Result[Root, WebError]:
    if root.page_files is not None and root.page_files.digest == digest:
        return Success(root)
    reason = "names a file of cookies or a key that changed while it was read"
    place = root.settings.file
    return Failure(InvalidSetting(setting=CONFIG_VARIABLE, place=place, reason=reason))


async def explain_unusable(clients: SharedClients, before: SharedClients | None) -> WebError | None:
    """Return why every search, or every page, would fail with these settings; None if not so.

    What is opened for a call is opened here and closed again; nobody is asked. A gateway on which
    no search was ever set up may serve pages alone: it is refused only if the settings name what
    searches, or if those ``before`` could search.
    """
    opened = open_toolbox(parts=clients.parts, root=clients.root)
    if isinstance(opened, Failure):
        error: WebError = opened.failure()
        return error
    toolbox = opened.unwrap()
    try:
        search = toolbox.explain_unusable("search")
        pages = toolbox.explain_unusable("extract")
    finally:
        await toolbox.aclose()
    clients.can_search = search is None
    could_search = before is not None and before.can_search
    if search is not None and (could_search or not _is_unset(search, clients.root.settings)):
        return search
    return pages


def _is_unset(problem: WebError, settings: Settings) -> bool:
    """Tell whether a search fails for no other reason than that none was ever set up."""
    named = settings.search_route or settings.search_backend or settings.route or settings.backend
    return isinstance(problem, NotConfigured) and not named
