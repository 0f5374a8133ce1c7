"""Settings on their way from the supervisor to its workers: the same there, or refused."""

import asyncio
from pathlib import Path

import pytest
from returns.result import Failure, Success

from webseam.composition.features.gateway.gateway_settings import (
    SettingsReader,
    explain_unusable,
    pack_settings,
    unpack_settings,
)
from webseam.composition.features.gateway.shared_clients import SharedClients
from webseam.composition.features.gateway.worker_channel import TeamBoard, TeamState
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.composition.wiring.backend_rows import Root

CONFIG = """\
services:
  brave: {api_key: a-made-up-key, price: 0.004}
sites: {wiki.example: {headers: {x-team: red}, cookies_file: cookies.txt}}
policy: {deny_domains: [example.org], follow: seen}
search_route: [brave, {fuse: [brave], patience: 2}]
budgets: {day: 1.5}
stores: {valkey: "valkey://user:secret@127.0.0.1:1"}
"""
COOKIES = "# Netscape HTTP Cookie File\nwiki.example\tFALSE\t/\tTRUE\t4102444800\tsession\tred\n"


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "WEBSEAM_CONFIG": str(home / "config.yaml"), "TAVILY_API_KEY": "k"}


def read(home: Path, config: str) -> Root:
    (home / "config.yaml").write_text(config)
    (home / "cookies.txt").write_text(COOKIES)
    return SettingsReader(ToolboxOverrides(environment=environment(home))).read().unwrap()


def test_settings_come_to_a_worker_as_they_were_read(tmp_path: Path) -> None:
    root = read(tmp_path, CONFIG)
    data = pack_settings(root)
    # The worker does not read this.
    (tmp_path / "config.yaml").write_text("broken: [")

    there = unpack_settings(data, root.files).unwrap()

    assert dict(there.settings.entries) == dict(root.settings.entries)
    assert there.policy == root.policy
    assert there.settings.budgets == root.settings.budgets
    assert there.settings.stores.valkey.reveal() == root.settings.stores.valkey.reveal()
    assert there.settings.variables.first_entry("TAVILY_API_KEY") is not None
    assert there.page_files is not None
    assert root.page_files is not None
    assert there.page_files.digest == root.page_files.digest


@pytest.mark.parametrize("cookies", [COOKIES.replace("red", "blue"), "no cookies"])
def test_cookies_that_changed_on_the_way_are_refused(tmp_path: Path, cookies: str) -> None:
    root = read(tmp_path, CONFIG)
    data = pack_settings(root)
    (tmp_path / "cookies.txt").write_text(cookies)

    assert isinstance(unpack_settings(data, root.files), Failure)


@pytest.mark.parametrize(
    ("before", "after", "is_usable"),
    [
        (None, "keyless: false\n", True),
        (None, "keyless: false\nbackend: nope\n", False),
        (None, "keyless: false\nsearch_backend: brave\n", False),
        ("search_backend: tavily\n", "keyless: false\n", True),
        ("search_backend: tavily\n", "keyless: false\nextract_backend: nope\n", False),
        (None, "search_route: [nope]\n", False),
        (None, "backend: nope\n", False),
        (None, "route: [brave]\n", False),
        (None, "search_backend: pages\n", False),
        (None, "extract_route: [nope]\n", False),
        (None, "compressor: {kind: model}\n", False),
    ],
)
def test_settings_are_refused_where_a_search_or_a_page_always_fails(
    tmp_path: Path, before: str | None, after: str, *, is_usable: bool
) -> None:
    async def life() -> bool:
        old = None
        if before is not None:
            old = SharedClients(read(tmp_path, before))
            assert await explain_unusable(old, None) is None
        return await explain_unusable(SharedClients(read(tmp_path, after)), old) is None

    assert asyncio.run(life()) is is_usable


def test_a_gateway_that_searches_does_not_lose_its_search_to_a_reload(tmp_path: Path) -> None:
    async def life() -> tuple[bool, object]:
        old = SharedClients(read(tmp_path, "search_backend: tavily\n"))
        await explain_unusable(old, None)
        (tmp_path / "config.yaml").write_text("keyless: false\n")
        variables = {**environment(tmp_path), "TAVILY_API_KEY": ""}
        root = SettingsReader(ToolboxOverrides(environment=variables)).read().unwrap()
        problem = await explain_unusable(SharedClients(root), old)
        return old.can_search, None if problem is None else problem.kind

    assert asyncio.run(life()) == (True, "not_configured")


def test_a_team_is_complete_once_each_has_listened_and_then_counts_the_missing() -> None:
    board = TeamBoard(2)

    def after(number: int, *, listens: bool) -> TeamState:
        (board.mark_listening if listens else board.mark_gone)(number)
        return board.state()

    states = [after(0, listens=True), after(1, listens=True), after(0, listens=False)]

    assert states == [
        TeamState(workers=2, missing=1, is_complete=False),
        TeamState(workers=2, missing=0, is_complete=True),
        TeamState(workers=2, missing=1, is_complete=True),
    ]


def test_a_file_that_was_read_and_is_gone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("keyless: false\n")
    reader = SettingsReader(ToolboxOverrides(environment=environment(tmp_path)))
    first = reader.read()
    (tmp_path / "config.yaml").unlink()

    assert isinstance(first, Success)
    assert isinstance(reader.read(), Failure)
