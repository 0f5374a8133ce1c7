"""A root over settings that a test writes."""

from pathlib import Path

from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.root import read_root


def root(folder: Path, text: str = "", **environment: str) -> Root:
    """Read settings from ``text`` and an environment that holds nothing else."""
    file = folder / "config.yaml"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    given = {"WEBSEAM_CONFIG": str(file), "WEBSEAM_INDEX": str(folder / "none.sqlite")}
    return read_root({**given, **environment}).unwrap()
