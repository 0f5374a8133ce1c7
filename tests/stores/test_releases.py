"""What an earlier release wrote, this version opens."""

from contextlib import closing
from pathlib import Path

import pytest

import webseam
from tests.features.index.shelf import PUMP, put_back, reading, urls
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.keys import KeyFile
from webseam.adapters.stores.ledger import Ledger
from webseam.composition.settings.loader import load_settings
from webseam.ports import InvalidSetting

from .releases import ANSWER, FOLDER, NOON, STORES, restore_store

RELEASES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "cache.sql").exists())


def test_this_version_has_samples_of_every_store() -> None:
    samples = {path.stem for path in (FOLDER / webseam.__version__).glob("*.sql")}

    assert samples == set(STORES)


@pytest.mark.parametrize("release", RELEASES)
def test_the_stores_of_a_release_are_read(release: str, tmp_path: Path) -> None:
    for name in STORES:
        restore_store(FOLDER / release / f"{name}.sql", tmp_path / f"{name}.sqlite")

    with closing(CacheStore(tmp_path / "cache.sqlite", lambda: NOON)) as cache:
        assert cache.look_up(ANSWER.key).unwrap() == ANSWER.payload
    with closing(KeyFile(tmp_path / "keys.sqlite")) as keys:
        assert [record.name for record in keys.records().unwrap()] == ["team"]
    with closing(Ledger(tmp_path / "ledger.sqlite")) as ledger:
        assert [spending.spent for spending in ledger.spendings(NOON).unwrap()] == [5]
    index = reading(tmp_path / "index.sqlite").unwrap()
    assert urls(index, "heat") == [PUMP.url]
    put_back()


@pytest.mark.parametrize("release", RELEASES)
def test_the_settings_of_a_release_are_read(release: str) -> None:
    settings = load_settings({"WEBSEAM_CONFIG": str(FOLDER / release / "config.yaml")}).unwrap()

    assert (settings.backend, settings.timeout, settings.cache.minutes) == ("tavily", 30, 20)


def test_settings_of_a_newer_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("settings_version: 2\n")

    refused = load_settings({"WEBSEAM_CONFIG": str(path)}).failure()

    assert isinstance(refused, InvalidSetting)
    assert refused.setting == "settings_version"
