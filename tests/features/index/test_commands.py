"""``webseam index``, ``cache`` and what they mean for ``search`` and ``extract``."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.doors.cli.api import running_api
from tests.features.index.commands import Command
from webseam.composition.doors.cli import main


def test_documents_are_added_listed_counted_found_and_read(command: Command, notes: Path) -> None:
    added = command("index", "add", str(notes))
    assert (added.code, added.err) == (0, "")
    assert added.out == (
        f"added {notes}/cats.md\nadded {notes}/dogs.txt\n"
        "2 added, 0 updated, 0 unchanged, 0 removed, 0 failed.\n"
    )

    listed = [line.split() for line in command("index", "list").out.splitlines()]
    assert listed == [
        ["passages", "document", "title"],
        ["1", f"{notes}/cats.md", "Cats"],
        ["1", f"{notes}/dogs.txt", "Dogs"],
    ]
    assert command("index", "stats", "--check").out.split()[:4] == [
        "documents",
        "2",
        "passages",
        "2",
    ]

    ran = command("search", "does a cat purr?")
    assert ran.out.startswith("1. Cats\n   http://file.localhost/")
    assert "**cat** **purrs**" in ran.out

    url = f"http://file.localhost{notes}/cats.md"
    assert "A cat purrs" in command("extract", "--backend", "index", url).out
    # Nobody else can read that address, so nobody else needs to be set.
    assert "A cat purrs" in command("extract", url).out


def test_a_search_that_goes_on_without_a_filter_says_so(command: Command, notes: Path) -> None:
    command("index", "add", str(notes))

    ran = command("search", "tide", "--backend", "index", "--language", "en", "--best-effort")
    listed = command(
        "search",
        "tide",
        "--backend",
        "index",
        "--country",
        "DE",
        "--best-effort",
        "--format",
        "csv",
    )

    assert ran.err == "webseam: index searched without --language, which it cannot honour\n"
    assert listed.err == "webseam: index searched without --country, which it cannot honour\n"


def test_all_of_it_speaks_json(command: Command, notes: Path) -> None:
    added = json.loads(command("index", "add", str(notes), "--json").out)
    assert added["success"]
    assert (added["data"]["added"], added["data"]["passages"]) == (2, 2)

    listed = json.loads(command("index", "list", "--json").out)
    assert [each["title"] for each in listed["data"]["documents"]] == ["Cats", "Dogs"]
    assert json.loads(command("index", "stats", "--json").out)["data"]["documents"] == 2
    document = json.loads(command("search", "purr", "--backend", "index", "--json").out)
    assert document["receipt"]["backend"] == "index"
    removed = json.loads(command("index", "remove", str(notes / "cats.md"), "--json").out)
    assert removed == {"success": True, "data": {"removed": 1, "forgotten": 0}}


def test_adding_again_reads_only_what_has_changed(command: Command, notes: Path) -> None:
    command("index", "add", str(notes))
    (notes / "cats.md").write_text("# Cats\n\nA cat meows.")
    (notes / "eels.md").write_text("# Eels")

    again = command("index", "add", str(notes))

    assert again.out.endswith("1 added, 1 updated, 1 unchanged, 0 removed, 0 failed.\n")


def test_refreshing_follows_the_folder(command: Command, notes: Path) -> None:
    command("index", "add", str(notes))
    (notes / "dogs.txt").unlink()
    (notes / "eels.md").write_text("# Eels")

    fresh = command("index", "refresh")

    assert fresh.out.endswith("1 added, 0 updated, 1 unchanged, 1 removed, 0 failed.\n")
    assert "Nothing found." in command("search", "barks").out


def test_refreshing_one_source_leaves_the_others(command: Command, notes: Path) -> None:
    command("index", "add", str(notes / "cats.md"), str(notes / "dogs.txt"))
    (notes / "cats.md").write_text("# Cats\n\nnew")
    (notes / "dogs.txt").write_text("Dogs\n\nnew")

    fresh = command("index", "refresh", str(notes / "cats.md"))

    assert fresh.out.endswith("0 added, 1 updated, 0 unchanged, 0 removed, 0 failed.\n")


def test_a_source_that_is_gone_as_a_whole_is_said_and_kept(command: Command, notes: Path) -> None:
    command("index", "add", str(notes))
    notes.rename(notes.with_name("moved"))

    fresh = command("index", "refresh")

    assert fresh.code == 2
    told = f"webseam: {notes}: Not readable: there is no such file or folder; "
    assert fresh.err == f"{told}webseam index remove forgets it.\n"
    assert "purrs" in command("search", "purrs").out


def test_a_removed_folder_is_forgotten_with_all_that_is_in_it(
    command: Command, notes: Path
) -> None:
    command("index", "add", str(notes))

    assert command("index", "remove", str(notes)).out == "2 removed.\n"
    assert command("index", "list").out == "The index is empty: webseam index add PATH_OR_URL\n"
    assert command("index", "refresh").out.startswith("0 added")


def test_a_folder_whose_name_only_begins_alike_stays(command: Command, notes: Path) -> None:
    other = notes.with_name(f"{notes.name}-of-others")
    other.mkdir()
    (other / "owls.txt").write_text("An owl hoots.")
    command("index", "add", str(notes), str(other))

    assert command("index", "remove", str(notes)).out == "2 removed.\n"
    assert "hoots" in command("search", "hoots").out


def test_removing_a_file_that_exists_warns_of_the_next_refresh(
    command: Command, notes: Path
) -> None:
    command("index", "add", str(notes))

    removed = command("index", "remove", str(notes / "dogs.txt"))
    (notes / "cats.md").unlink()
    gone = command("index", "remove", str(notes / "cats.md"))

    assert removed.err == f"webseam: the next refresh adds what is still in {notes}.\n"
    assert (gone.out, gone.err) == ("1 removed.\n", "")


def test_a_folder_is_one_folder_however_it_is_typed(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (notes / "inner").mkdir()
    monkeypatch.chdir(notes / "inner")
    command("index", "add", str(notes))

    assert "0 added, 0 updated, 2 unchanged" in command("index", "add", "..").out
    assert command("index", "remove", "../../notes/dogs.txt").out == "1 removed.\n"


def test_a_step_back_behind_a_link_leads_where_the_link_does(
    command: Command, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere" / "inner").mkdir(parents=True)
    (tmp_path / "elsewhere" / "eels.md").write_text("# Eels")
    (notes / "link").symlink_to(tmp_path / "elsewhere" / "inner", target_is_directory=True)

    added = command("index", "add", str(notes / "link" / ".."))

    assert added.out.startswith(f"added {tmp_path}/elsewhere/eels.md\n1 added")


def test_a_bad_source_does_not_hold_up_the_good(command: Command, notes: Path) -> None:
    (notes / "blank.md").write_text(" ")

    added = command("index", "add", str(notes), "nowhere", "--json")

    assert added.code == 2
    document = json.loads(added.out)
    assert (document["success"], document["data"]["added"], document["data"]["failed"]) == (
        False,
        2,
        1,
    )
    assert {failure["failure"]["kind"] for failure in document["data"]["failures"]} == {
        "source_unreadable"
    }


def test_a_page_is_added_through_the_extract_backend(command: Command) -> None:
    with running_api() as api:
        added = command(
            "index",
            "add",
            "https://webseam.example/receipts",
            "https://",
            WEBSEAM_JSON_EXTRACT_URL=api.url("extract"),
        )

    assert (added.code, added.out.splitlines()[0]) == (2, "added https://webseam.example/receipts")
    document = json.loads(command("search", "who served it", "--json").out)
    assert document["data"]["web"][0]["url"] == "https://webseam.example/receipts"


@pytest.mark.parametrize(
    "action", [("add", "x"), ("refresh",), ("remove", "x"), ("list",), ("stats",)]
)
def test_a_file_that_is_not_an_index_is_left_alone(
    command: Command, tmp_path: Path, action: tuple[str, ...]
) -> None:
    index = tmp_path / "index.sqlite"
    index.write_text("Dear diary")

    ran = command("index", *action)

    assert ran.code == 4
    assert "not one of webseam's, and was left as it is" in ran.err
    assert index.read_text() == "Dear diary"


@pytest.mark.parametrize(
    "arguments",
    [("index", "list"), ("index", "stats"), ("search", "q", "--backend", "index")],
)
def test_an_index_that_is_not_there_is_said_to_be_missing(
    command: Command, arguments: tuple[str, ...]
) -> None:
    ran = command(*arguments, "--json")

    assert ran.code == 3
    assert json.loads(ran.out)["failure"]["problem"] == "missing"


def test_an_index_without_documents_answers_nobody(command: Command, tmp_path: Path) -> None:
    slip = command("index", "add", str(tmp_path / "missing"))

    asked = command("search", "q", "--json")
    looked_at = command("doctor")

    assert slip.code == 2
    assert asked.code == 3
    assert json.loads(asked.out)["failure"]["problem"] == "missing"
    assert "Index   empty" in looked_at.out


@pytest.mark.parametrize("words", [("list",), ("refresh",), ("remove", "x")])
def test_an_index_that_is_not_there_names_the_command_that_makes_one(
    command: Command, words: tuple[str, ...]
) -> None:
    ran = command("index", *words)

    told = "webseam: There are no indexed documents yet. Begin: webseam index add PATH_OR_URL\n"
    assert (ran.code, ran.out, ran.err) == (3, "", told)


@pytest.mark.parametrize(
    "arguments",
    [("stats",), ("stats", "--check"), ("list",), ("refresh",), ("remove", "x"), ("add", ".")],
)
def test_a_damaged_index_is_said_to_be(
    command: Command, notes: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    command("index", "add", str(notes))
    index = tmp_path / "index.sqlite"
    index.write_bytes(index.read_bytes()[:8192] + b"\xff" * 60_000)

    ran = command("index", *arguments)

    assert ran.code == 4
    assert "damaged" in ran.err


def test_settings_that_cannot_be_read_stop_the_work(command: Command, notes: Path) -> None:
    ran = command("index", "add", str(notes), WEBSEAM_POLICY_PORTS="x")

    assert ran.code == 3


def test_a_search_is_answered_from_the_cache_unless_told_otherwise(command: Command) -> None:
    with running_api() as api:
        ask = ("search", "typed failure", "--endpoint", api.url("search"), "--json")
        cached = [json.loads(command(*ask).out)["receipt"].get("cached", False) for _ in range(2)]
        fresh = json.loads(command(*ask, "--no-cache", "--receipt").out)["receipt"]["cached"]

    assert (cached, fresh) == ([False, True], False)
    assert command("cache", "stats").out.split()[:2] == ["answers", "1"]
    assert json.loads(command("cache", "clear", "--json").out)["data"] == {"cleared": 1, "texts": 0}


def test_an_api_at_another_address_has_answers_of_its_own(command: Command) -> None:
    for _ in range(2):
        with running_api() as api:
            ran = command("search", "typed", "--endpoint", api.url("search"), "--json")
            assert "cached" not in json.loads(ran.out)["receipt"]


@pytest.mark.parametrize("action", ["stats", "clear"])
def test_another_program_s_cache_file_is_left_alone(
    command: Command, tmp_path: Path, action: str
) -> None:
    (tmp_path / "cache").mkdir()
    with sqlite3.connect(tmp_path / "cache" / "answers.sqlite") as connection:
        connection.execute("CREATE TABLE precious (data)")
    connection.close()

    assert command("cache", action).code == 4


def test_a_long_page_is_compressed_to_what_was_asked(command: Command, tmp_path: Path) -> None:
    filler = "Nothing of note happened on that long and mild afternoon. " * 200
    note = tmp_path / "long.md"
    note.write_text(f"# Long\n\n{filler}\n\nThe bridge was built in 1912.\n\n{filler}")
    command("index", "add", str(note))
    url = f"http://file.localhost{note}"

    setting = {"WEBSEAM_COMPRESSOR": "extractive"}
    words = ("extract", "--backend", "index", url)
    asked = command(*words, "--focus", "When was the bridge built?", **setting)
    short = command(*words, "--json", **setting)

    assert "The bridge was built in 1912." in asked.out
    assert len(asked.out) < 5200
    assert json.loads(short.out)["receipt"]["pages"][0]["compressed"]


def test_a_backend_can_be_named(command: Command) -> None:
    assert command("extract", "https://a.example/", "--backend", "json").code == 3
    assert command("search", "q", "--backend", "json").code == 3
    denied = command("extract", "http://127.0.0.1:9/", "--backend", "pages", "--no-cache")
    assert denied.code == 4


def test_the_help_of_each_part_says_where_things_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "add", "--help"]) == 0

    assert "WEBSEAM_INDEX" in capsys.readouterr().out
