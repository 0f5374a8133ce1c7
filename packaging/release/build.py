"""Build a release into ``dist/`` and check it: ``make release``.

It builds twice and compares the bytes, also with the wheel that the tests ran on. It checks what
the files hold, installs the wheel from an index on this machine with each extra, and adds the bill
of materials, digests and provenance.
"""

import contextlib
import hashlib
import http.server
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import tomllib
import venv
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from release.urls import ROOT, owner_address

DIST = ROOT / "dist"
ROOMS = ("ports", "kernel", "adapters", "composition")


def _stop(message: str) -> NoReturn:
    raise SystemExit(message)


def _run(*command: str | Path, folder: Path = ROOT) -> str:
    """Run a command and return what it prints; stop the release if it fails."""
    ended = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
    if ended.returncode:
        _stop(f"{' '.join(map(str, command))} failed:\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def build(folder: Path) -> list[Path]:
    """Build the sdist from the sources and the wheel from the sdist, as an installer would."""
    hatchling = (sys.executable, "-m", "hatchling", "build", "-d", folder, "-t")
    _run(*hatchling, "sdist")
    (sdist,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(sdist) as archive:
            archive.extractall(unpacked, filter="data")
        (sources,) = Path(unpacked).iterdir()
        _run(*hatchling, "wheel", folder=sources)
    (wheel,) = folder.glob("*.whl")
    return [sdist, wheel]


def check_contents(sdist: Path, wheel: Path) -> None:
    """Stop unless the wheel holds the public modules and the rooms, and nothing else."""
    sources = {
        f"webseam/{path.relative_to(ROOT)}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
    } | {f"webseam/{path.name}" for path in (ROOT / ".namespace/webseam").glob("*.py")}
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {name for name in names if name.endswith(".py")}
    if modules != sources:
        _stop(f"The wheel and the sources differ: {sorted(modules ^ sources)}")
    if others := {name.split("/")[0] for name in names} - {
        "webseam",
        f"{wheel.name[:-17]}.dist-info",
    }:
        _stop(f"The wheel has other folders: {sorted(others)}")
    with tarfile.open(sdist) as archive:
        packed = {name.split("/", 1)[-1] for name in archive.getnames()}
    needed = {
        "README.md",
        "LICENSE",
        "NOTICE",
        "PKG-INFO",
        "pyproject.toml",
        "tests/test_layout.py",
    }
    if missing := needed - packed:
        _stop(f"The sdist lacks {sorted(missing)}")


@contextlib.contextmanager
def local_index(wheel: Path) -> Iterator[str]:
    """Serve a package index that has this wheel only; yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "simple", "webseam")
        project.mkdir(parents=True)
        shutil.copy(wheel, project)
        (project / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
        handler = partial(_QuietHandler, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}/simple"
            finally:
                server.shutdown()
                thread.join()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


def check_installs(wheel: Path, extras: Sequence[str]) -> None:
    """Install from the local index into an empty environment, with each extra; run the demo."""
    with local_index(wheel) as index:
        for extra in ("", *extras):
            with tempfile.TemporaryDirectory() as folder:
                venv.create(folder, with_pip=True)
                python = Path(folder, "bin", "python")
                name = f"webseam[{extra}]" if extra else "webseam"
                install = ("install", "--quiet", "--extra-index-url", index)
                _run(python, "-m", "pip", *install, f"{name}=={wheel.name.split('-')[1]}")
                _run(python, "-m", "pip", "check")
                _run(python.with_name("webseam"), "demo", folder=Path(folder))
                print(f"installed and ran {name}", flush=True)


def write_papers(files: Sequence[Path]) -> None:
    """Write digests, provenance and, where the owner is known, the entry for the MCP registry."""
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    lines = (f"{digest}  {name}\n" for name, digest in digests.items())
    (DIST / "SHA256SUMS").write_text("".join(lines))
    commit = {"digest": {"gitCommit": _run("git", "rev-parse", "HEAD").strip()}}
    source = owner_address()
    # Not signed: the public host signs its own statement when it publishes.
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": d}} for name, d in digests.items()],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://packaging.python.org/en/latest/specifications/pyproject-toml/",
                "externalParameters": {"command": "make release"},
                "resolvedDependencies": [{**commit, "uri": source} if source else commit],
            },
            "runDetails": {"builder": {"id": "make release"}},
        },
    }
    (DIST / "provenance.json").write_text(json.dumps(statement, indent=2) + "\n")
    if not source:
        print("The owner's address is not known: tool.webseam.source in pyproject.toml is empty.")
        return
    entry = json.loads((ROOT / "packaging/server.json").read_text("utf-8"))
    owner, name = source.split("/")[-2:]
    entry |= {"name": f"io.github.{owner}/{name}", "version": files[-1].name.split("-")[1]}
    entry["packages"][0]["version"] = entry["version"]
    if f"mcp-name: {entry['name']}" not in (ROOT / "README.md").read_text("utf-8"):
        _stop(f"README.md needs the line <!-- mcp-name: {entry['name']} -->")
    (DIST / "server.json").write_text(json.dumps(entry, indent=2) + "\n")


def main() -> None:
    """Build, check and describe a release."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    files = build(DIST)
    with tempfile.TemporaryDirectory() as second:
        for path, again in zip(files, build(Path(second)), strict=True):
            if path.name != again.name or path.read_bytes() != again.read_bytes():
                _stop(f"Two builds of {path.name} differ.")
    sdist, wheel = files
    (tested,) = (ROOT / ".envs/wheel").glob("*.whl")
    if tested.read_bytes() != wheel.read_bytes():
        _stop("The wheel from the sdist and the tested wheel differ.")
    shutil.copy(ROOT / ".wheel/webseam.cdx.json", DIST)
    check_contents(sdist, wheel)
    _run(sys.executable, "-m", "twine", "check", "--strict", *files)
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    check_installs(wheel, tuple(pyproject["project"]["optional-dependencies"]))
    write_papers(files)
    print(*sorted(path.name for path in DIST.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
