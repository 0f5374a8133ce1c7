"""The settings' table of vendors is what services and providers declare."""

from release.vendors import declared_vendors, written
from webseam.composition.settings.checks import known_setting_keys
from webseam.composition.settings.vendors import FOLDER, VENDORS


def test_the_table_is_what_the_vendors_declare() -> None:
    assert declared_vendors() == VENDORS, "run `make docs`: it writes the table"


def test_the_table_is_written_as_it_is_read() -> None:
    module: dict[str, object] = {"__package__": "webseam.composition.settings"}
    exec(compile(written(VENDORS), "vendors.py", "exec"), module)  # noqa: S102  what we wrote

    assert module["VENDORS"] == VENDORS


def test_every_setting_is_allowed_or_told_of_by_each_of_its_names() -> None:
    for path, key in known_setting_keys().items():
        allowed = FOLDER.may_set(path)
        assert all(FOLDER.may_name(name) is allowed for name in key.variables), path
        assert allowed or all(map(FOLDER.is_awaited, key.variables)), path


def test_nothing_is_both_allowed_and_awaited() -> None:
    assert not FOLDER.keys & FOLDER.awaited
    assert not any(map(FOLDER.may_name, FOLDER.awaited))


def test_settings_that_open_something_need_trust() -> None:
    blocks = ("policy", "render", "plugins", "proxy", "budgets", "keyless", "custom_base_url")

    assert not any(FOLDER.may_set(path) for path in known_setting_keys() if path[0] in blocks)
