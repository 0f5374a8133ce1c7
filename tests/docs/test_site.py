"""The site: every page is in its navigation, and its reference is made of modules that there are."""

import importlib.util
import pkgutil
import re
from datetime import date
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest

from .snippets import ROOT

WEBSITE = ROOT / "packaging" / "website"
CONFIG = (WEBSITE / "mkdocs.yml").read_text("utf-8")


def script(name: str) -> ModuleType:
    """Return a script of the site as a module."""
    spec = importlib.util.spec_from_file_location(name, WEBSITE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    return script("pages")


def test_a_page_that_has_no_place_in_the_navigation_is_at_its_end(pages: ModuleType) -> None:
    assert "security.md" not in pages.unlisted(CONFIG)
    assert "      - security.md\n" in pages.unlisted(CONFIG.replace("      - security.md\n", ""))


def test_every_module_of_the_reference_is_there(pages: ModuleType) -> None:
    for modules in pages.REFERENCE.values():
        for module in modules:
            assert pkgutil.resolve_name(f"webseam.{module}").__doc__


def test_links_lead_to_pages_of_the_site(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGES", tmp_path)

    pages.write("p.md", "[a](docs/a.md) [b](../README.md) [c](../examples/agent.ipynb) [d](d.md)")

    assert (tmp_path / "p.md").read_text() == "[a](a.md) [b](index.md) c [d](d.md)"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('<a href="other.html#there">', []),
        ('<a href="https://example.com/">', []),
        ('<a href="gone.html">', ["p.html: leads to gone.html, which is not there"]),
        ('<a href="other.html#no">', ["p.html: leads to other.html#no, which is not there"]),
        ('<script src="https://cdn.example/x.js">', ["p.html: fetches https://cdn.example/x.js"]),
        ("<img src='x.png'>", ["p.html: an image without alt"]),
    ],
)
def test_site_check_finds_broken_links_and_anchors(
    pages: ModuleType, tmp_path: Path, text: str, wrong: list[str]
) -> None:
    (tmp_path / "other.html").write_text('<h1 id="there">')
    (tmp_path / "p.html").write_text(text)

    assert pages.check(tmp_path) == wrong


def test_a_script_from_elsewhere_gives_way_to_ours(pages: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text('<script src="https://cdn.example/x" type="t"></script>')

    pages.without_remote_parts(tmp_path)

    assert "window.Worker" in (tmp_path / "p.html").read_text()
    assert pages.check(tmp_path) == []


def test_every_picture_is_drawn_from_the_stored_figures() -> None:
    plots = script("plots")

    drawn = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").glob("measured-*.svg")}
    assert drawn == plots.pictures()


def test_a_run_of_make_bench_becomes_a_chart() -> None:
    plots = script("plots")
    cells = [
        {"client": client, "rows": rows, "at_once": at_once, "cpu_microseconds": cost}
        for client, rows, at_once, cost in [
            ("httpx", 10, 1, 400.4),
            ("webseam", 10, 1, 99.6),
            ("webseam", 100, 1, 900.0),
            ("webseam", 10, 5, 90.0),
        ]
    ]

    chart = plots.bench_chart({"played": {"cells": cells}}, "two cores", date(2026, 11, 15))

    assert chart["bars"] == [{"label": "webseam", "value": 100}, {"label": "httpx", "value": 400}]
    assert (chart["when"], chart["command"]) == ("November 2026", "make bench")
    assert "November 2026, two cores: make bench" in plots.picture(chart)


def test_the_picture_of_a_terminal_is_whole_and_from_nowhere_else() -> None:
    picture = (ROOT / "docs" / "terminal.svg").read_text("utf-8")

    assert ET.fromstring(picture).get("role") == "img"  # noqa: S314  a file of our own
    assert picture.replace("http://www.w3.org/2000/svg", "").count("http") == 0
    assert "prefers-color-scheme: dark" in picture
    assert re.search(
        r"!\[[^\]]{20,}\]\(docs/terminal\.svg\)", (ROOT / "README.md").read_text("utf-8")
    )


def test_a_picture_of_a_terminal_keeps_styles_and_escapes_text() -> None:
    picture = script("screenshot").drawn(["\x1b[1mTitle\x1b[0m <b>", "\x1b[1;35mmatch\x1b[0m"])

    assert '<tspan class="bold">Title</tspan> &lt;b&gt;' in picture
    assert '<tspan class="match">match</tspan>' in picture
