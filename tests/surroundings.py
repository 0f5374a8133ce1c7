"""What tests see of the user who runs them: enough to start programs, and nothing to go by."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# What a Python without anything else needs to find its libraries, and to be measured.
STARTING = {
    name: value
    for name, value in os.environ.items()
    if name.startswith(("COVERAGE_", "DYLD_", "LD_")) or name == "SYSTEMROOT"
}
_EMPTY = tempfile.TemporaryDirectory()
# A place where there is nothing, whatever else is on this machine.
NOWHERE = Path(_EMPTY.name) / "nowhere"
_KEPT = ("LANG", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ")
_KEPT_KINDS = ("COVERAGE_", "DYLD_", "HYPOTHESIS_", "LC_", "LD_", "PIP_", "PYTEST_", "PYTHON")


@pytest.fixture(autouse=True, scope="session")
def _bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take away keys, settings, proxies and files of the user's, in subprocesses too."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name not in _KEPT and not name.startswith(_KEPT_KINDS):
                patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        yield
