"""Check: see it all at work, offline."""

import contextlib
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...terminal.arguments.parser import Parser
from ...terminal.exit_codes import BACKEND_FAILED, BAD_INPUT, BUG, DONE
from ..demo_api import PAGES, DemoApi, running_demo_api


def run(arguments: Sequence[str]) -> int:
    """Show what works and what is refused; return the exit code."""
    options = command_line().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, running_demo_api() as api:
        documents = options.path or _written(Path(folder))
        with _settings(Path(folder), api):
            shown = [_show(command, code) for command, code in _steps(documents, api)]
    return DONE if all(shown) else BUG


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam demo",
        description="Index documents, search them, read a page, and see what is refused. "
        "Nothing leaves this machine, and nothing stays on it.",
    )
    parser.add_argument("path", nargs="*", help="documents to index; without any, a few of ours")
    return parser


def _steps(documents: Sequence[str], api: DemoApi) -> Iterator[tuple[list[str], int]]:
    """Yield each command with the exit code it should end with."""
    yield ["index", "add", *documents], DONE
    yield ["search", "what happens to a bad row?", "-n", "2"], DONE
    yield ["extract", api.url("page")], DONE
    yield ["search", "xylophones"], DONE
    yield ["search", " "], BAD_INPUT
    yield ["search", "prizes", "--endpoint", api.url("poisoned")], BACKEND_FAILED
    yield ["search", "prizes", "--endpoint", api.url("lying")], BACKEND_FAILED
    yield ["extract", "http://169.254.169.254/latest/meta-data/"], BACKEND_FAILED


def _show(command: list[str], expected: int) -> bool:
    from .. import main  # noqa: PLC0415  it knows us, too

    print(f"$ webseam {shlex.join(command)}\n", flush=True)
    with contextlib.redirect_stderr(sys.stdout):
        code = main(command)
    print(f"\n(exit code {code})\n", flush=True)
    return code == expected


@contextlib.contextmanager
def _settings(folder: Path, api: DemoApi) -> Iterator[None]:
    """Keep what the commands store in ``folder``, and let them reach our own server."""
    ours = {
        "WEBSEAM_INDEX": str(folder / "demo.index"),
        "WEBSEAM_CACHE": str(folder / "cache"),
        "WEBSEAM_CONFIG": str(folder / "config.yaml"),
        "WEBSEAM_POLICY_ALLOW_PRIVATE": f"127.0.0.1/32:{api.port}",
        # Whatever else is set up, and whatever is open to everybody, is not asked.
        "WEBSEAM_SEARCH_BACKEND": "index",
        "WEBSEAM_EXTRACT_BACKEND": "pages",
        "WEBSEAM_KEYLESS": "false",
        "WEBSEAM_COMPRESSOR_KIND": "none",
        "WEBSEAM_PLUGINS_ENABLED": "",
    }
    before = dict(os.environ)
    os.environ.update(ours)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _written(folder: Path) -> list[str]:
    """Write a few documents of our own."""
    documents = folder / "documents"
    documents.mkdir()
    for number, page in enumerate(PAGES):
        (documents / f"{number}.md").write_text(f"# {page['title']}\n\n{page['content']}\n")
    return [str(documents)]
