"""Messages: as they are sent, as pages are saved in them, and as Outlook keeps them."""

import base64
import struct

import pytest

from tests.features.documents.containers import compound, outlook
from tests.features.documents.read import error, page
from webseam.ports.errors import ParseFailed
from webseam.ports.pages import ReadPage

MAIL = "message/rfc822"
HEAD = "From: =?utf-8?q?J=C3=BCrgen?= <j@e.org>\nTo: b@e.org\nSubject: =?utf-8?b?Q2Fmw6k=?=\nDate: Tue, 5 Mar 2024 10:00:00 +0000\nMIME-Version: 1.0\n"


def several(*parts: str, kind: str = "mixed", head: str = HEAD) -> str:
    """A message of several parts, each with its own head."""
    body = "".join(f"--X\n{part}\n" for part in parts)
    return f"{head}Content-Type: multipart/{kind}; boundary=X\n\n{body}--X--\n"


def encoded(text: str, charset: str) -> str:
    content = base64.b64encode(text.encode(charset)).decode()
    return f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n{content}"


def test_names_in_a_head_may_be_written_in_any_case() -> None:
    read = page("FROM: j@e.org\nsubject: Tea\ndate: Tue, 5 Mar 2024 10:00:00 +0000\n\nHot.\n", MAIL)

    assert (read.title, read.author) == ("Tea", "j@e.org")


def test_a_message_has_a_head_a_text_and_a_list_of_what_is_attached() -> None:
    attached = (
        'Content-Type: application/pdf\nContent-Disposition: attachment; filename="=?utf-8?q?=C3=BC.pdf?="\n'
        "Content-Transfer-Encoding: base64\n\nAAAA"
    )

    assert page(
        several(encoded("Grüße ![x](http://e/)", "iso-8859-1"), attached), MAIL
    ) == ReadPage(
        title="Café",
        content="- From: Jürgen <j@e.org>\n- To: b@e.org\n- Date: Tue, 5 Mar 2024 10:00:00 +0000\n\n"
        "Grüße !\\[x](http://e/)\n\n## Attachments\n\n- ü.pdf (application/pdf, 3 bytes)",
        author="Jürgen <j@e.org>",
        published_at="2024-03-05T10:00:00+00:00",
        kind="mail",
        links=1,
    )


@pytest.mark.parametrize("codec", ["utf-8", "iso-8859-1"])
def test_letters_in_a_head_may_be_sent_as_they_are(codec: str) -> None:
    sent = "From: Jürgen Müßig <j@bücher.example>\nSubject: Grüße für alle\n\nHallo".encode(codec)

    read = page(sent, MAIL)

    assert (read.title, read.author) == ("Grüße für alle", "Jürgen Müßig <j@bücher.example>")


@pytest.mark.parametrize("label", ["utf-8", "UTF8"])
def test_a_text_that_is_called_utf_8_and_is_not_is_read_as_what_it_is(label: str) -> None:
    text = "Die Hasen klagten über ihre mißliche Lage, und die Frösche hörten es gern.\n"
    head = f"{HEAD}Content-Type: text/plain; charset={label}\n\n"
    spoilt = "Größe, Straße, Übermut, Fräulein ".encode() + b"\xff"

    assert page((head + text).encode("iso-8859-1"), MAIL).content.endswith(text.strip())
    assert page(head.encode() + spoilt, MAIL).content.endswith("Fräulein \ufffd")


def test_a_long_list_of_recipients_is_whole_and_a_very_long_one_cut() -> None:
    def to(count: int) -> str:
        names = ", ".join(f"n{number}@e.org" for number in range(count))
        return page(f"From: a@e.org\nTo: {names}\n\nHello", MAIL).content

    assert "n1999@e.org\n" in to(2000)
    assert (len(to(9000)) < 50_000, "…\n" in to(9000)) == (True, True)


def test_the_fuller_of_two_forms_is_shown() -> None:
    plain = "Content-Type: text/plain\n\nOpen this in a browser."
    html = (
        "Content-Type: text/html\n\n<h1>News</h1><p>"
        + "Words of it. " * 9
        + "<p style='display:none'>hidden"
    )

    assert "# News\n\nWords of it." in page(several(plain, html, kind="alternative"), MAIL).content
    assert "hidden" not in page(several(plain, html, kind="alternative"), MAIL).content
    assert (
        "Open this"
        in page(
            several(plain, "Content-Type: text/html\n\n<p>Open it", kind="alternative"), MAIL
        ).content
    )


def test_a_forwarded_message_stands_under_its_subject() -> None:
    inside = "Content-Type: message/rfc822\n\nFrom: c@e.org\nSubject: Old news\n\nThe old text."

    content = page(several("Content-Type: text/plain\n\nSee below.", inside), MAIL).content

    assert "See below.\n\n## Old news\n\n- From: c@e.org\n\nThe old text." in content


def test_messages_in_messages_end_somewhere() -> None:
    deep = "Content-Type: message/rfc822\n\n" * 6 + "Subject: x\n\nwords"

    assert page(f"{HEAD}{deep}", MAIL).title == "Café"


@pytest.mark.parametrize(
    "head",
    [
        "Subject: =?nonsense?q?x?=",
        "Subject: =?utf-8?b?!?=",
        "Date: not a day",
        "Date: Fri, 23 Dec 4294967295 12:08:48 -0600",
        "Content-Type: text/plain; charset=zip",
        "Content-Type: ;;;",
        "Content-Transfer-Encoding: uuencode",
    ],
)
def test_a_head_that_makes_no_sense_loses_no_text(head: str) -> None:
    assert page(f"From: a@e.org\n{head}\n\nThe text.", MAIL).content.endswith("The text.")


def test_a_head_that_does_not_end_is_too_complex() -> None:
    assert error("From: a\nTo: b\nSubject: c" + "\n x" * 400_000, MAIL) == ParseFailed(
        reason="too_complex", detail="it has too many parts"
    )


def test_of_very_many_encoded_words_in_a_head_the_first_are_read() -> None:
    mail = "From: a\nSubject: Tide " + "=?utf-8?q?=C3=A4?= " * 200_000 + "\n\nHello"

    assert page(f"{mail[:900_000]}\n\nHello", MAIL).title.startswith("Tide ääää")


def test_a_message_of_very_many_parts_is_too_complex() -> None:
    assert error(several(*["Content-Type: text/plain\n\nx"] * 2001), MAIL) == ParseFailed(
        reason="too_complex", detail="it has too many parts"
    )


SAVED = "From: <Saved by Blink>\nSnapshot-Content-Location: https://e.org/page\nMIME-Version: 1.0\n"
PICTURE = "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAA"


@pytest.mark.parametrize(
    ("content_type", "url"), [("multipart/related", ""), (MAIL, ""), ("", "https://x.org/a.mhtml")]
)
def test_a_saved_page_goes_to_the_html_reader_under_its_own_address(
    content_type: str, url: str
) -> None:
    part = "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>a=3Db"

    document = page(several(PICTURE, part, kind="related", head=SAVED), content_type, url)

    assert (document.title, document.content) == (
        "https://e.org/page text/html; charset=utf-8",
        "HTML 6",
    )


def test_the_part_that_is_named_as_the_start_is_the_page() -> None:
    frame = "Content-Type: text/html\nContent-Location: https://e.org/frame\n\n<p>frame"
    main = "Content-Type: text/html\nContent-ID: <main>\nContent-Location: https://e.org/main\n\n<p>main"

    document = page(
        several(frame, main, kind='related; start="<main>"', head=SAVED), "multipart/related"
    )

    assert document.title == "https://e.org/main text/html"


def test_a_saved_page_without_a_page_is_corrupt() -> None:
    assert error(several(PICTURE, kind="related", head=SAVED), "multipart/related") == ParseFailed(
        reason="corrupt", detail="there is no page in it"
    )


def test_an_outlook_message_reads_as_any_other() -> None:
    body = outlook(
        {"0037": "Hello", "1000": "Body text", "0C1A": "Ann", "5D01": "ann@e.org", "0E04": "Bob"},
        {"a.pdf": b"x" * 5000},
    )

    assert page(body) == ReadPage(
        title="Hello",
        content="- From: Ann <ann@e.org>\n- To: Bob\n- Date: 2024-12-30 02:40:00+00:00\n\nBody text\n\n"
        "## Attachments\n\n- a.pdf (application/octet-stream, 5,000 bytes)",
        author="Ann <ann@e.org>",
        published_at="2024-12-30T02:40:00+00:00",
        kind="outlook",
    )


def test_an_old_outlook_message_has_bytes_for_letters() -> None:
    body = compound(
        {"__properties_version1.0": b"", "__substg1.0_1000001E": b"caf\xe9 words and more"}
    )

    assert page(body).content == "café words and more"


def test_an_outlook_message_that_is_cut_is_corrupt() -> None:
    body = outlook({"0037": "x"})[:400] + "__properties_version1.0".encode("utf-16-le")

    assert error(body) == ParseFailed(reason="corrupt", detail="it is not a whole Outlook message")


def inner_message(place: str, subject: str, text: str) -> dict[str, bytes]:
    sent = struct.pack("<HHIQ", 0x40, 0x39, 0, 133_800_000_000_000_000)
    above = f"{place}__substg1.0_3701000D/"
    return {
        f"{above}__substg1.0_0037001F": subject.encode("utf-16-le"),
        f"{above}__substg1.0_1000001F": text.encode("utf-16-le"),
        f"{above}__properties_version1.0": bytes(24) + sent,
    }


def test_messages_attached_to_one_of_outlook_stand_under_their_subjects() -> None:
    place = "__attach_version1.0_#00000000/"
    deeper = f"{place}__substg1.0_3701000D/__attach_version1.0_#00000000/"
    file = "__attach_version1.0_#00000001/"
    document = page(
        compound(
            {
                "__substg1.0_0037001F": "Outer".encode("utf-16-le"),
                "__substg1.0_1000001F": "See below.".encode("utf-16-le"),
                "__properties_version1.0": bytes(32),
                **inner_message(place, "Inner", "Hello."),
                **inner_message(deeper, "", "Deepest."),
                f"{deeper}__substg1.0_3001001F": "a name".encode("utf-16-le"),
                f"{file}__substg1.0_3707001F": "a.pdf".encode("utf-16-le"),
                f"{file}__substg1.0_37010102": b"1234",
            }
        )
    )

    assert document.content == (
        "See below.\n\n## Inner\n\n- Date: 2024-12-30 02:40:00+00:00\n\nHello.\n\n"
        "## a name\n\n- Date: 2024-12-30 02:40:00+00:00\n\nDeepest.\n\n"
        "## Attachments\n\n- a.pdf (application/octet-stream, 4 bytes)"
    )
