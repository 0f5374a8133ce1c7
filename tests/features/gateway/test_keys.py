"""Keys: shown once, kept hashed, good until they are revoked."""

import json
import stat
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.doors.cli.run import Ran, webseam
from webseam.adapters.stores.keys import KeyFile
from webseam.ports.keys import KeyRecord


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own" / "keys.sqlite"


def keys(file: Path, *arguments: str) -> Ran:
    return webseam("keys", *arguments, WEBSEAM_KEYS=str(file))


def added(file: Path, *arguments: str) -> dict[str, object]:
    data: dict[str, object] = json.loads(keys(file, "add", *arguments, "--json").out)["data"]
    return data


def found(file: Path, text: object) -> KeyRecord | None:
    with closing(KeyFile(file)) as kept:
        return kept.find(str(text)).unwrap()


def test_a_key_is_shown_once_and_its_text_is_nowhere_in_the_file(file: Path) -> None:
    ran = keys(file, "add", "ann")
    text = ran.out.split()[-1]

    listed = keys(file, "list")
    content = b"".join(part.read_bytes() for part in file.parent.iterdir())

    assert (ran.code, ran.err) == (0, "")
    assert text.startswith("wsk_")
    assert text not in listed.out
    assert text.encode() not in content
    assert text.removeprefix("wsk_").encode() not in content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_is_known_by_its_whole_text_until_it_is_revoked(file: Path) -> None:
    key = added(
        file,
        "ann",
        "--tool",
        "search",
        "--domain",
        "example.com",
        "--rate",
        "30",
        "--day",
        "1.5",
        "--cache",
        "team",
    )
    text = str(key.pop("key"))

    known = found(file, text)
    others = [
        text[:-1] + ("a" if text[-1] != "a" else "b"),
        text[:-1],
        "",
        "wsk_",
        text.upper(),
        f"{text} ",
        "tvly-x",
    ]
    strangers = [found(file, other) for other in others]
    revoked = keys(file, "revoke", "ann")

    assert json.loads(msgspec.json.encode(known)) == key
    assert known is not None
    assert (known.tools, known.domains, known.rate, known.day, known.cache) == (
        ("search",),
        ("example.com",),
        30.0,
        1.5,
        "team",
    )
    assert (known.may_call("search"), known.may_call("extract")) == (True, False)
    assert strangers == [None] * len(others)
    assert revoked.code == 0
    assert found(file, text) is None


def test_a_running_server_sees_at_once_that_a_key_was_revoked(file: Path) -> None:
    text = str(added(file, "ann")["key"])
    serving = KeyFile(file)
    before = serving.find(text).unwrap()

    keys(file, "revoke", "ann")
    after = serving.find(text).unwrap()
    serving.close()

    assert before is not None
    assert after is None


def test_each_key_has_answers_of_its_own_unless_it_is_told_to_share(file: Path) -> None:
    ann, ben, cat = added(file, "ann"), added(file, "ben"), added(file, "cat", "--cache", "team")

    assert ann["cache"] == ann["id"] != ben["cache"]
    assert cat["cache"] == "team"


def test_a_name_is_free_again_when_its_key_was_revoked(file: Path) -> None:
    added(file, "ann")

    twice = keys(file, "add", "ann")
    keys(file, "revoke", "ann")
    again = keys(file, "add", "ann")
    listed = json.loads(keys(file, "list", "--json").out)["data"]["keys"]

    assert (twice.code, twice.err) == (2, "webseam: name: ann is the name of another key.\n")
    assert again.code == 0
    assert [bool(each["revoked"]) for each in listed] in ([True, False], [False, True])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("an n",), "name"),
        (("ann", "--domain", "https://example.com"), "domains"),
        (("ann", "--rate", "0"), "rate"),
        (("ann", "--day", "-1"), "day"),
        (("ann", "--month", "nan"), "month"),
        (("ann", "--cache", "a b"), "cache"),
    ],
)
def test_invalid_rule_of_a_key_is_refused_by_name(
    file: Path, arguments: tuple[str, ...], field: str
) -> None:
    ran = keys(file, "add", *arguments, "--json")

    assert (ran.code, json.loads(ran.out)["failure"]["field"]) == (2, field)
    assert not file.exists()


def test_people_are_told_what_each_key_may(file: Path) -> None:
    nobody = keys(file, "list")
    keys(
        file, "add", "ann", "--tool", "search", "--tool", "extract", "--rate", "2", "--month", "20"
    )
    keys(file, "add", "ben")
    keys(file, "revoke", "ben")

    lines = keys(file, "list").out.splitlines()

    assert nobody.out == "There is no key yet. `webseam keys add NAME` makes one.\n"
    assert any(
        "ann" in line and "search, extract" in line and "$0.00 of $20.00 this month" in line
        for line in lines
    )
    assert any("ben" in line and "revoked" in line for line in lines)


def test_nobody_is_revoked_by_a_name_that_nobody_has(file: Path) -> None:
    missing = keys(file, "revoke", "ann")
    added(file, "ben")
    unknown = keys(file, "revoke", "ann")

    assert (missing.code, unknown.code) == (2, 2)
    assert unknown.err == "webseam: name: no key in use is called 'ann'.\n"


def test_a_file_that_is_not_ours_is_left_alone_and_no_key_is_good(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"something else" * 20)

    results = [keys(file, "list"), keys(file, "add", "ann"), keys(file, "revoke", "ann")]
    with closing(KeyFile(file)) as kept:
        looked = kept.find("wsk_" + "0" * 12 + "_" + "a" * 43)

    assert [ran.code for ran in results] == [4, 4, 4]
    assert looked.failure().kind == "store_failed"
    assert file.read_bytes() == b"something else" * 20


def test_changed_limits_hold_from_the_next_lookup_on(file: Path) -> None:
    text = str(added(file, "ann", "--day", "1", "--tool", "search")["key"])

    changed = keys(file, "set", "ann", "--day", "2.5", "--month", "9", "--tool", "none", "--json")
    freed = keys(file, "set", "ann", "--month", "none")
    known = found(file, text)

    assert json.loads(changed.out)["data"]["day"] == 2.5
    assert freed.out.startswith("The key of ann (")
    assert known is not None
    assert (known.day, known.month, known.tools) == (2.5, None, ())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ann",), "keys set: needs a limit to change, such as --day 2"),
        (("ben", "--day", "1"), "name: no key in use is called 'ben'"),
        (("ann", "--day", "-1"), "day: must be 0 dollars or more"),
        (("ann", "--expires", "soon"), "expires: must be a span such as 30d or 12h"),
        (("ann", "--day", "few"), "argument --day: 'few' is not a number"),
        (("ann", "--domain", "https://a.example/"), "domains: must be host names"),
    ],
)
def test_wrong_change_of_a_key_is_refused(file: Path, words: tuple[str, ...], said: str) -> None:
    added(file, "ann")

    ran = keys(file, "set", *words)

    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_expired_key_is_no_longer_good(file: Path) -> None:
    text = str(added(file, "ann", "--expires", "30d")["key"])
    before = found(file, text)

    keys(file, "set", "ann", "--expires", "2026-01-31")
    after = found(file, text)
    listed = keys(file, "list").out
    keys(file, "set", "ann", "--expires", "none")

    assert before is not None
    assert before.expires is not None
    assert after is None
    assert "expired" in listed
    assert found(file, text) is not None
