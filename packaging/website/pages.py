"""Fill ``.site/pages`` for the site: README as the front page, docs/, and a reference.

``make site`` calls it with the Python of ``.venv``, then makes HTML of the pages.
"""

import html
import os
import re
import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[2]
PAGES = ROOT / ".site" / "pages"
CONFIG = ROOT / ".site" / "mkdocs.yml"
HTML = ROOT / ".site" / "html"
_REMOTE = re.compile(r'<script src="https://[^"]+"[^>]*></script>')
_PART = re.compile(
    r'<(?:script|img|iframe|link rel="stylesheet")[^>]+(?:src|href)="(https?://[^"]+)"'
)
_BARE_IMAGE = re.compile(r"<img(?![^>]*\balt=)[^>]*>")
_LINK = re.compile(r'<a [^>]*?href="([^"]+)"')
_ELSEWHERE = ("http://", "https://", "mailto:", "javascript:")
# What a reference page shows: a title, and the modules or single names that it is made from.
REFERENCE = {
    "Search and read": (
        "composition.doors.client.blocking.search",
        "composition.doors.client.blocking.extract",
        "composition.doors.client.blocking.extract_many",
        "composition.doors.client.blocking.ask",
        "composition.doors.client.blocking.more",
        "composition.doors.client.web.open",
        "composition.doors.client.web.Web",
        "composition.doors.client.blocking.open_blocking",
        "composition.doors.client.blocking.BlockingWeb",
    ),
    "Results and failures": ("composition.doors.client.results",),
    "Values": ("ports.web", "ports.receipts", "kernel.text.trim"),
    "Errors": (
        "ports.errors.requests",
        "ports.errors.statuses",
        "ports.errors.network",
        "ports.errors.answers",
        "ports.errors.pages",
        "ports.errors.models",
        "ports.errors.plugins",
        "ports.errors.stores",
        "ports.errors.crashes",
    ),
    "The kernel": ("kernel.search", "kernel.extract", "kernel.pages.page_budget", "kernel.deps"),
    "Policy": ("kernel.policy.policy_rules", "kernel.policy.judge", "kernel.policy.explanation"),
    "Ports": ("ports.backends", "ports.models", "ports.stores"),
    "Tools": ("composition.tools.dispatch", "composition.tools.schemas"),
    "Test kit": (
        "composition.features.testing.clients",
        "composition.features.testing.fakes",
        "composition.features.testing.transports",
    ),
}
_DOCS_LINK = re.compile(r"\]\(docs/")
_UP_LINK = re.compile(r"\]\(\.\./(README\.md|CHANGELOG\.md|CONTRIBUTING\.md|SECURITY\.md)")
# Files of the repository that are no page: named, but not linked.
_FILE_LINK = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)?(?:examples|packaging|properties|LICENSE|NOTICE)[^)]*\)"
)


def main() -> None:
    """Write every page anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    write("index.md", (ROOT / "README.md").read_text("utf-8"))
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        write(name, (ROOT / name).read_text("utf-8"))
    for page in sorted((ROOT / "docs").glob("*.md")):
        write(page.name, page.read_text("utf-8"))
    for picture in sorted((ROOT / "docs").glob("*.[ps][vn]g")):
        shutil.copy(picture, PAGES)
    (PAGES / "reference-commands.md").write_text(commands_page(), "utf-8")
    nav = "".join(f"\n      - {reference(title)}" for title in REFERENCE)
    config = Path(__file__).with_name("mkdocs.yml").read_text("utf-8")
    CONFIG.write_text(config.replace(" REFERENCE", nav) + unlisted(config), "utf-8")


def unlisted(config: str) -> str:
    """Return the end of the navigation: pages of docs/ that nobody has put in their place yet."""
    names = [page.name for page in sorted((ROOT / "docs").glob("*.md"))]
    rest = [name for name in names if f" {name}\n" not in config]
    return "".join(["  - More:\n", *(f"      - {name}\n" for name in rest)]) if rest else ""


def write(name: str, text: str) -> None:
    """Write a page, with the links that it has in the repository leading to pages of the site."""
    text = _DOCS_LINK.sub("](", text)
    text = _UP_LINK.sub(lambda link: f"]({link[1].replace('README.md', 'index.md')}", text)
    (PAGES / name).write_text(_FILE_LINK.sub(r"\1", text), "utf-8")


def reference(title: str) -> str:
    """Write one page of the reference, and return its name."""
    name = f"reference-{title.lower().replace(' ', '-')}.md"
    parts = "\n\n".join(f"::: webseam.{path}{_heading(path)}" for path in REFERENCE[title])
    (PAGES / name).write_text(f"# {title}\n\n{parts}\n", "utf-8")
    return name


def _heading(path: str) -> str:
    """Return the options that give a single name a heading; a module needs none."""
    is_module = (ROOT / path.replace(".", "/")).with_suffix(".py").exists()
    options = "\n    options:\n      show_root_heading: true\n      show_root_full_path: false"
    return "" if is_module or (ROOT / path.replace(".", "/")).is_dir() else options


def commands_page() -> str:
    """Return the help of every command, for a terminal of 80 columns."""
    from webseam.composition.doors.cli import find_commands, load_command  # noqa: PLC0415  tests need none

    os.environ["COLUMNS"] = "80"
    parsers = (load_command(name).command_line() for name in sorted(find_commands()))
    helps = (part for parser in parsers for part in _command_helps(parser))
    return "\n\n".join(("# Commands", *helps)) + "\n"


def _command_helps(parser: ArgumentParser) -> Iterator[str]:
    yield f"## {parser.prog}\n\n```text\n{parser.format_help().rstrip()}\n```"
    for action in parser._actions:  # noqa: SLF001  argparse has no other list of them
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from _command_helps(below)


def without_remote_parts(folder: Path) -> None:
    """Put a script of ours in the place of the one that readers would fetch from elsewhere.

    The page for what is not there goes: its links begin at the root of a server, which files have
    not.
    """
    ours = f"<script>{Path(__file__).with_name('worker.js').read_text('utf-8')}</script>"
    (folder / "404.html").unlink(missing_ok=True)
    for page in folder.rglob("*.html"):
        text = page.read_text("utf-8")
        page.write_text(_REMOTE.sub(lambda _: ours, text), "utf-8")


def check(folder: Path) -> list[str]:
    """Return what is wrong with the pages: links that lead nowhere, parts from elsewhere."""
    wrong = []
    for page in sorted(folder.glob("*.html")):
        text = page.read_text("utf-8")
        wrong += [f"{page.name}: fetches {url}" for url in _PART.findall(text)]
        wrong += [f"{page.name}: an image without alt" for _ in _BARE_IMAGE.findall(text)]
        wrong += [
            f"{page.name}: leads to {link}, which is not there"
            for link in _LINK.findall(text)
            if not link.startswith(_ELSEWHERE) and not _leads_somewhere(page, link)
        ]
    return wrong


def _leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = html.unescape(link).partition("#")
    target = page.parent / unquote(name) if name else page
    if not target.exists() or not anchor:
        return target.exists()
    return any(f'{key}="{unquote(anchor)}"' in target.read_text("utf-8") for key in ("id", "name"))


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        without_remote_parts(HTML)
        problems = check(HTML)
        sys.exit("\n".join(problems) or 0)
    main()
