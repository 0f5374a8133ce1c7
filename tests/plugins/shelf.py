"""A user's place of its own: plugins on a shelf, settings and store beside them."""

import textwrap
from pathlib import Path

from returns.result import Result

from webseam.composition.plugins.plugin_choice import (
    load_plugins,
    read_plugin_choices,
    write_plugin_choices,
)
from webseam.composition.plugins.report import LoadedPlugins
from webseam.composition.settings.file_locations import FileLocations
from webseam.composition.wiring.root import read_settings_root
from webseam.ports import WebError


class Shelf:
    """A folder with plugins, and an environment in which nothing else is set."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "data" / "webseam" / "plugins"
        self.folder.mkdir(parents=True)
        self.environment = {
            "HOME": str(root),
            "XDG_DATA_HOME": str(root / "data"),
            "XDG_CACHE_HOME": str(root / "cache"),
            "WEBSEAM_CONFIG": str(root / "config.yaml"),
        }

    def put(self, name: str, code: str, manifest: str | None = None, **files: str) -> Path:
        """Write a plugin as a folder of its own, the way Hermes wants one."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(textwrap.dedent(code))
        if manifest is not None:
            (folder / "plugin.yaml").write_text(textwrap.dedent(manifest))
        for stem, text in files.items():
            (folder / f"{stem}.py").write_text(textwrap.dedent(text))
        return folder

    def enable(self, key: str, *, required: bool = False, **settings: object) -> None:
        choices = read_plugin_choices(self.files).unwrap()
        changed = choices.with_enabled(key, settings, required=required)
        write_plugin_choices(changed, self.files).unwrap()

    @property
    def files(self) -> FileLocations:
        return FileLocations(self.environment)

    def try_load(self) -> Result[LoadedPlugins, WebError]:
        return read_settings_root(self.environment).bind(load_plugins)

    def load(self) -> LoadedPlugins:
        return self.try_load().unwrap()
