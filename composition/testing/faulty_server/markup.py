"""Markup that is cheap to send and dear to parse."""

from collections.abc import Callable

from .conversation import Conversation
from .fault import Group, Play

MARKUP = Group("markup")
_CHEAP = "CPU < 2 s, RSS < +128 MiB, event loop stalls < 100 ms"


def _fault(name: str, behaviour: str, make: Callable[[], str], check: str = _CHEAP) -> None:
    MARKUP.add(name, "ok parse_failed", behaviour, play=_shows(make), check=check)


def _shows(make: Callable[[], str]) -> Play:
    async def play(talk: Conversation) -> None:
        await talk.show(make())

    return play


_fault("html_deep_div", "Nest 100,000 divs.", lambda: "<div>" * 100_000 + "x")
_fault("html_deep_list", "Nest 20,000 lists.", lambda: "<ul><li>" * 20_000 + "x")
_fault("html_deep_table", "Nest 8,000 tables.", lambda: "<table><tr><td>" * 8_000 + "x")
_fault(
    "html_deep_quote",
    "Nest 20,000 quotes, whose output grows with the depth.",
    lambda: "<blockquote>" * 20_000 + "x",
)
_fault(
    "html_formatting",
    "Leave 8,000 formatting elements open, for the adoption agency.",
    lambda: "".join(f"<p><font size={size}>" for size in range(8000)),
)
_fault(
    "html_attributes",
    "Give one tag 90,000 attributes.",
    lambda: "<p " + " ".join(f"a{number}=1" for number in range(90_000)) + ">x",
)
_fault("html_comments", "Open 200,000 comments.", lambda: "<!--" * 200_000)
_fault("html_lt", "Send 800,000 less-than signs.", lambda: "<" * 800_000)
_fault("html_cdata", "Open 90,000 CDATA sections.", lambda: "<![CDATA[" * 90_000)
_fault(
    "html_entities",
    "Write a number entity of 900,000 digits.",
    lambda: "&#x" + "1" * 900_000 + ";",
)
_fault("html_long_word", "Write a word of 900,000 letters.", lambda: "<p>" + "a" * 900_000)
_fault(
    "html_rowspan",
    "Multiply rowspan by colspan.",
    lambda: "<table>" + "<tr><td rowspan=65534 colspan=1000>x" * 500 + "</table>",
    check="output < 4x input; CPU < 2 s",
)
_fault("html_links", "Open 60,000 attribute quotes.", lambda: "<a href='" * 60_000)


@MARKUP.fault("ok unsupported_content parse_failed", check="no expansion; RSS < +32 MiB")
async def xml_laughs(talk: Conversation) -> None:
    """Send XHTML with a billion laughs in its document type."""
    laughs = ["lol", *(f"&l{level};" * 10 for level in range(9))]
    entities = "".join(f'<!ENTITY l{level} "{text}">' for level, text in enumerate(laughs))
    document = (
        f'<?xml version="1.0"?><!DOCTYPE html [{entities}]><html><body>&l9; MARKER-OK</body></html>'
    )
    await talk.reply(kind="application/xhtml+xml", body=document.encode())


@MARKUP.fault("ok unsupported_content parse_failed", check="no file content, canary_hits == 0")
async def xml_external(talk: Conversation) -> None:
    """Send XML that pulls in a file of this machine and the canary."""
    document = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">'
        f'<!ENTITY b SYSTEM "http://{talk.server.canary}/xxe">]><r>MARKER-OK &a; &b;</r>'
    )
    await talk.reply(kind="application/xml", body=document.encode())
