"""Mailboxes, calendars, contacts, and lists of things in XML."""

import pytest

from tests.formats.read import error, page
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


CALENDAR = """BEGIN:VCALENDAR
X-WR-CALNAME:Tides
METHOD:PUBLISH
BEGIN:VTIMEZONE
TZID:Europe/Berlin
END:VTIMEZONE
BEGIN:VEVENT
UID:1
DTSTART;TZID=Europe/Berlin:20240305T100000
DTEND;VALUE=DATE:20240306
SUMMARY:Low tide\\, far out
LOCATION:Kiel
ORGANIZER;CN="Bee: Ann":mailto:ann@e.org
ATTENDEE:MAILTO:bob@e.org
RRULE:FREQ=WEEKLY;BYDAY=MO
DESCRIPTION:Walk\\nout a
  long way.
BEGIN:VALARM
DESCRIPTION:Ring
END:VALARM
X-OTHER:no
END:VEVENT
BEGIN:VTODO
DUE:20240305T100000Z
END:VTODO
END:VCALENDAR
END:VCALENDAR
"""


@pytest.mark.parametrize(
    ("content_type", "name"), [("text/calendar", "a"), ("", "a.ics"), ("", "a")]
)
def test_a_calendar_has_each_event_under_its_name(content_type: str, name: str) -> None:
    document = page(CALENDAR.replace("\n", "\r\n"), content_type, f"https://e.org/{name}")

    assert (document.kind, document.title) == ("cards", "Tides")
    assert document.content == (
        "## Low tide, far out\n\n- Begins: 2024-03-05 10:00 Europe/Berlin\n- Ends: 2024-03-06\n"
        "- Location: Kiel\n- Organizer: Bee: Ann <ann@e.org>\n- Attendee: bob@e.org\n"
        "- Repeats: FREQ=WEEKLY, BYDAY=MO\n\nWalk\nout a long way.\n\n"
        "## Task\n\n- Due: 2024-03-05 10:00 UTC"
    )


def test_contacts_have_what_is_known_of_them() -> None:
    card = (
        "BEGIN:VCARD\nVERSION:2.1\nN:Bee;Ann;;;\nFN;CHARSET=UTF-8;QUOTED-PRINTABLE:Ann B=C3=A9=\n"
        "e\nitem1.TEL;HOME;VOICE:123\nEMAIL;TYPE=work,pref:ann@e.org\nADR:;;Low Street 1;Kiel;;24103;\n"
        "BDAY:1990-02-03\nPHOTO;ENCODING=b:AAAA\nNOTE:![x](https://e.org/)\nEND:VCARD\n"
        "BEGIN:VCARD\nN:Dee;Cy\nEMAIL:\nEND:VCARD\n"
    )

    document = page(card, "text/vcard")

    assert document.content == (
        "## Ann Bée\n\n- Phone (home, voice): 123\n- Email (work, pref): ann@e.org\n"
        "- Address: Low Street 1, Kiel, 24103\n- Birthday: 1990-02-03\n\n!\\[x](https://e.org/)\n\n"
        "## Dee, Cy"
    )


def test_a_calendar_without_events_stays_text_and_a_long_one_is_cut() -> None:
    assert page("BEGIN:VCALENDAR\nEND:VCALENDAR\nwords", "text/calendar").content.endswith("words")
    many = "BEGIN:VEVENT\nSUMMARY:x\nEND:VEVENT\n" * 5_001
    assert page(many, "text/calendar").notes == ("only the first 5,000 entries",)


def test_an_outline_is_a_list_of_links() -> None:
    feed = '<outline text="Tides" xmlUrl="https://e.org/rss" htmlUrl="https://e.org/" description="Twice"/>'
    only = '<outline title="Ebb" xmlUrl="https://e.org/ebb"/><outline/>'
    body = f'<?xml version="1.0"?><opml version="2.0"><head><title>Feeds</title></head><body><outline text="News">{feed}</outline>{only}</body></opml>'

    document = page(body)

    assert (document.kind, document.title) == ("listing", "Feeds")
    assert document.content == (
        "- News\n   - [Tides](https://e.org/) [feed](https://e.org/rss): Twice\n- [Ebb](https://e.org/ebb)"
    )


def test_places_have_names_coordinates_and_what_is_said_of_them() -> None:
    port = (
        "<Placemark><name>Kiel</name><description>&lt;b>Deep&lt;/b></description>"
        '<ExtendedData><Data name="depth"><value>9</value></Data><SimpleData name="quay">2</SimpleData></ExtendedData>'
        "<Point><coordinates>10.1,54.3,0</coordinates></Point></Placemark>"
    )
    line = "<Placemark><LineString><coordinates>1,2 3,4 5,6</coordinates></LineString></Placemark>"
    body = f'<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name><Folder><name>Ports</name><description>Two.</description>{port}{line}</Folder></Document></kml>'

    document = page(body, "application/vnd.google-earth.kml+xml")

    assert document.title == "All"
    assert document.content == (
        "## Ports\n\nTwo.\n\n**Kiel** (54.3, 10.1)\n\n- depth: 9\n- quay: 2\n\n**Deep**\n\n"
        "(2, 1 to 6, 5, 3 points)"
    )


def test_tracks_have_their_ends() -> None:
    track = '<trk><name>Walk</name><trkseg><trkpt lat="1" lon="2"/><trkpt lat="3" lon="4"/></trkseg></trk>'
    body = f'<?xml version="1.0"?><gpx><metadata><name>Day</name></metadata><wpt lat="5" lon="6"><name>Kiel</name><ele>3</ele><desc>Port</desc></wpt>{track}</gpx>'

    document = page(body)

    assert document.title == "Day"
    assert document.content == (
        "**Kiel** (5, 6)\n\n- elevation: 3\n\nPort\n\n**Walk** (1, 2 to 3, 4, 2 points)"
    )


def test_translations_stand_beside_each_other() -> None:
    units = '<trans-unit id="1"><source>Tide</source><target>Gezeit</target><note>sea</note></trans-unit>'
    xliff = f'<xliff version="1.2"><file original="a.txt" source-language="en" target-language="de"><body>{units}</body></file><file/></xliff>'
    tmx = '<tmx version="1.4"><body><tu><tuv xml:lang="en"><seg>Tide</seg></tuv><tuv xml:lang="de"><seg>Gezeit</seg></tuv></tu></body></tmx>'

    assert page(xliff).content == (
        "## a.txt\n\n| en | de |  |\n| --- | --- | --- |\n| Tide | Gezeit | sea |"
    )
    assert page(tmx).content == "| en | de |\n| --- | --- |\n| Tide | Gezeit |"


@pytest.mark.parametrize(
    "body",
    ["<opml><body/></opml>", "<tmx/>", "<gpx/>", '<!DOCTYPE kml [<!ENTITY a "&b;">]><kml>x</kml>'],
)
def test_lists_of_nothing_stay_xml(body: str) -> None:
    assert page(f'<?xml version="1.0"?>{body}').content.startswith("```xml")


def test_a_list_that_is_cut_short_says_so() -> None:
    document = page('<?xml version="1.0"?><opml><body><outline text="Tides"/><outl')

    assert document.content == "- Tides"
    assert document.notes == ("it is damaged: some of it may be missing",)


SCRIPT = """[Script Info]
Title: Tides
[Events]
Format: Layer, Start, End, Name, Text
Comment: 0,0:00:00.00,0:00:01.00,,no
Dialogue: 0,0:00:01.00,0:00:02.00,Ann,Twice, {\\i1}a{\\i0} day\\Nor so.
Dialogue: 0,none,0:00:02.00,Ann,lost
Dialogue: 0,0:10:01.00,0:10:02.00,,Later.
"""
TIMED = """<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><head><metadata/></head><body><div>
<p begin="00:00:01.000" end="00:00:02.000">Twice <span>a</span><br/>day<metadata>no</metadata></p>
<p begin="601s">Later.</p><p begin="x"/></div></body></tt>"""


@pytest.mark.parametrize(
    ("body", "name", "title", "content"),
    [
        (SCRIPT, "a.ass", "Tides", "[0:01] Ann: Twice, a day or so.\n\n[10:01] Later."),
        (SCRIPT, "a", "Tides", "[0:01] Ann: Twice, a day or so.\n\n[10:01] Later."),
        (TIMED, "a.ttml", "a.ttml", "[0:01] Twice a day\n\n[10:01] Later."),
        (TIMED, "a.xml", "a.xml", "[0:01] Twice a day\n\n[10:01] Later."),
        ("0:00:01.000,0:00:02.000\nTwice\n\n", "a.sbv", "a.sbv", "[0:01] Twice"),
    ],
)
def test_other_subtitles_say_what_is_said(body: str, name: str, title: str, content: str) -> None:
    document = page(body, "", f"https://e.org/{name}")

    assert (document.kind, document.title, document.content) == ("subtitles", title, content)


@pytest.mark.parametrize(
    "body", ["<tt><body/></tt>", '<!DOCTYPE tt [<!ENTITY a "&b;">]><tt><p begin="1s">x</p></tt>']
)
def test_timed_text_without_words_stays_xml(body: str) -> None:
    document = page(f'<?xml version="1.0"?>{body}', "application/ttml+xml")

    assert document.content.startswith("```xml")


def test_a_few_texts_in_many_languages_make_no_large_table() -> None:
    unit = '<tu><tuv xml:lang="{}"><seg>Tide</seg></tuv></tu>'
    units = "".join(unit.format(place) for place in range(500))

    assert len(page(f"<tmx><body>{units}</body></tmx>").content) < 100_000
