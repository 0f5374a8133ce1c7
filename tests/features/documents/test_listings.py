"""Mailboxes, calendars, contacts, and lists of things in XML."""

import pytest

from tests.features.documents.read import error, page
from webseam.ports.errors import ParseFailed

FROM = "From {} Mon Jan  1 10:00:00 2024\n"


def message(subject: str, text: str) -> str:
    return f"{FROM.format('a@e.org')}From: a@e.org\nSubject: {subject}\n\n{text}\n\n"


@pytest.mark.parametrize(
    ("content_type", "name"),
    [("application/mbox", "a"), ("", "a.mbox"), ("", "a"), ("text/plain", "a.mbox")],
)
def test_a_mailbox_has_each_message_under_its_subject(content_type: str, name: str) -> None:
    body = message("One", "Hello.\n>From here on.") + message("", "World.")

    document = page(body, content_type, f"https://e.org/{name}")

    assert (document.kind, document.title) == ("mailbox", name)
    assert document.content == (
        "## One\n\n- From: a@e.org\n\nHello.\nFrom here on.\n\n## Message\n\n- From: a@e.org\n\nWorld."
    )


def test_a_mailbox_of_one_message_is_that_message() -> None:
    document = page(message("One", "Hello."), "application/mbox")

    assert (document.title, document.content) == ("One", "- From: a@e.org\n\nHello.")


def test_a_large_mailbox_is_cut_and_says_so() -> None:
    many = page("".join(message("x", "y") for _ in range(1_002)), "application/mbox")
    long = page(message("x", "y") + message("x", "word " * 900_000), "application/mbox")

    assert many.notes == ("only the first 1,000 of 1,002 messages",)
    assert long.notes == ("only the first 1 of 2 messages",)


def test_messages_that_cannot_be_read_are_counted() -> None:
    bomb = f"{FROM.format('x')}Content-Type: multipart/mixed; boundary=x\n\n" + "\n--x\n" * 3_000

    assert page(message("x", "y") + bomb, "application/mbox").notes == (
        "messages that could not be read: 1",
    )
    assert error(bomb * 2, "application/mbox") == ParseFailed(
        reason="corrupt", detail="it is not a whole mailbox"
    )
