"""The addresses of the project, from the one setting ``tool.webseam.source`` in pyproject.toml."""

import tomllib
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parents[2]


def owner_address() -> str:
    """Return the owner's address without a slash at its end; empty while it is not known."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return str(pyproject["tool"]["webseam"]["source"]).rstrip("/")


class OwnerUrls(MetadataHookInterface):
    """Put the owner's address into the package's metadata, if it is known."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add the links that an index shows beside the package."""
        if source := owner_address():
            metadata["urls"] = {
                "Source": source,
                "Issues": f"{source}/issues",
                "Changelog": f"{source}/blob/main/CHANGELOG.md",
            }
