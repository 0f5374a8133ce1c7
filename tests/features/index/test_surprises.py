"""The index reads files, not surprises: no links out, no pipes, no secrets."""

import json
import os
import socket
from pathlib import Path

import pytest

from tests.features.index.commands import Command
from webseam.adapters.folder_files import has_secret_name, open_regular_file
from webseam.kernel.text.redaction import has_secret_text

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\n" * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hold one note among things that are none."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "far.md").write_text("# Far\n\nA far note about heather.")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n\nA near note about heather.")
    (folder / "again.md").symlink_to(folder / "note.md")
    (folder / "far.md").symlink_to(outside / "far.md")
    (folder / "away").symlink_to(outside, target_is_directory=True)
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket.md"))
    (folder / "passwords.txt").write_text("heather: heather123")
    (folder / "key.txt").write_text(KEY)
    (folder / "photo.jpeg").write_bytes(b"\xff\xd8")
    (folder / ".hidden.jpeg").write_bytes(b"\xff\xd8")
    return folder


def _skipped(added: dict[str, dict[str, dict[str, int]]]) -> dict[str, int]:
    return {reason: count for reason, count in added["data"]["skipped"].items() if count}


def test_links_out_pipes_sockets_and_secrets_are_skipped_and_counted(
    command: Command,
    folder: Path,
) -> None:
    added = json.loads(command("index", "add", str(folder), "--json").out)

    assert added["success"]
    assert added["data"]["added"] == 2
    assert _skipped(added) == {"links": 2, "special": 2, "secrets": 2, "kinds": 1}


def test_the_summary_says_what_was_skipped_and_how_to_take_it(
    command: Command,
    folder: Path,
) -> None:
    added = command("index", "add", str(folder)).out

    assert added.splitlines()[-1] == (
        "Skipped: 2 links that lead out of the folder (--follow-links takes them), 2 that are no "
        "regular files, 2 that look like secrets (--include-secrets takes them), 1 of kinds that are "
        "read only when they are named."
    )


def test_links_are_followed_and_secrets_taken_when_that_is_asked_for(
    command: Command,
    folder: Path,
) -> None:
    options = ("--follow-links", "--include-secrets", "--json")

    added = json.loads(command("index", "add", str(folder), *options).out)

    # The note and its second name, two secrets, the far note by its link and by its folder's.
    assert added["data"]["added"] == 6
    assert _skipped(added) == {"special": 2, "kinds": 1}


def test_refresh_without_links_keeps_linked_documents(
    command: Command,
    folder: Path,
) -> None:
    command("index", "add", str(folder), "--follow-links")
    before = command("index", "list").out

    refreshed = command("index", "refresh")
    as_json = json.loads(command("index", "refresh", "--json").out)["data"]
    after = command("index", "list").out
    (folder.parent / "outside" / "far.md").unlink()
    gone = json.loads(command("index", "refresh", "--json").out)["data"]

    assert refreshed.out.splitlines()[-1] == (
        "Kept: 2 behind links, as they were (--follow-links reads them again)."
    )
    assert (as_json["removed"], as_json["kept"], after) == (0, 2, before)
    assert (gone["removed"], gone["kept"]) == (2, 0)


def test_file_that_became_a_secret_leaves_the_index(
    command: Command,
    tmp_path: Path,
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A note about heather.")
    command("index", "add", str(note))
    note.write_text(KEY)

    command("index", "refresh")

    assert command("index", "list").out.startswith("The index is empty")


@pytest.mark.parametrize("arguments", [("index", "add"), ("read",)])
def test_a_pipe_that_is_named_is_an_error_and_never_waited_for(
    command: Command,
    tmp_path: Path,
    arguments: tuple[str, ...],
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    ran = command(*arguments, str(pipe))

    assert ran.code != 0
    assert "it is no regular file" in ran.err


@pytest.mark.parametrize("path", ["/dev/null", "/dev/zero"])
def test_a_device_is_never_opened(path: str) -> None:
    with pytest.raises(OSError, match="no regular file"):
        open_regular_file(Path(path))


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (".env", True),
        ("prod.env", True),
        ("id_ed25519", True),
        ("id_ed25519.pub", False),
        ("server.pem", True),
        ("Passwords.docx", True),
        ("recovery-codes.txt", True),
        ("credentials.json", True),
        ("service-account-prod.json", True),
        ("secrets.md", False),
        ("tokens.html", False),
        ("environment.md", False),
        ("keyboard.txt", False),
        ("the-secrets-of-bread.txt", False),
    ],
)
def test_secrets_are_known_by_their_names(name: str, *, secret: bool) -> None:
    assert has_secret_name(name) is secret


@pytest.mark.parametrize("named", ["caf\udce9", "caf\udce9/note.md"], ids=["folder", "file"])
def test_a_name_that_is_no_utf8_is_added_refreshed_and_removed(
    command: Command, tmp_path: Path, named: str
) -> None:
    folder = tmp_path / "caf\udce9"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("this disk has no such names")
    (folder / "note.md").write_text("# Note\n\nA near note about heather.")

    added = command("index", "add", str(tmp_path / named))
    again = command("index", "refresh")
    removed = command("index", "remove", str(tmp_path / named))

    assert (added.code, again.code, removed.code) == (0, 0, 0)
    assert f"added {tmp_path}/caf\\xe9/note.md" in added.out
    assert "1 unchanged, 0 removed" in again.out
    assert "1 removed" in removed.out


def test_a_name_that_is_spelt_as_one_that_is_no_utf8_is_itself(
    command: Command, tmp_path: Path
) -> None:
    note = tmp_path / "caf\\xe9.md"
    note.write_text("# Note\n\nA near note about heather.")

    assert command("index", "add", str(note)).code == 0
    assert "1 unchanged" in command("index", "refresh").out


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (KEY, True),
        ("Some words before\n" + KEY, True),
        ('{"private_key": "-----BEGIN PRIVATE KEY-----\\n' + "MIIE" * 20 + '"}', True),
        ("[default]\naws_secret_access_key = " + "a" * 40, True),
        ("token: ghp_" + "a1" * 18, True),
        ("# mine\nexport OPENAI_API_KEY='sk-0123456789abcdef'\nDEBUG=1\n", True),
        ("A key begins with -----BEGIN PRIVATE KEY----- and ends soon.", False),
        ("OPENAI_API_KEY=<your key>", False),
        ("DEBUG=1\nNAME=value", False),
        ("Set API_KEY=0123456789abcdef in your shell, then run it.", False),
        ("", False),
    ],
)
def test_secrets_are_known_by_their_text(text: str, *, secret: bool) -> None:
    assert has_secret_text(text) is secret
