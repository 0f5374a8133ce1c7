"""The caps of the reader, by name, and what each of them cuts.

A page names in ``cuts`` the caps that it met. One that loses text makes the page incomplete; the
others shorten a list beside the text, or only what is known of it.
"""

from typing import Final

import msgspec

from webseam.ports.pages import PARTS_CAP


class Cap(msgspec.Struct, frozen=True):
    """What a cap does."""

    effect: str
    loses_text: bool = False


CAPS: Final = {
    "page_chars": Cap("the text after 4,000,000 characters of HTML is not read", loses_text=True),
    "frames": Cap("frames with their own HTML after the 50th are not read", loses_text=True),
    "shadow_roots": Cap("of more than 2,000 shadow roots, the rest is not read", loses_text=True),
    PARTS_CAP: Cap("of what is left out, 1,000,000 characters are kept, the short kinds first"),
    "runs": Cap("a page of more than 8,000 pieces of text is kept whole, without a choice"),
    "script_data": Cap(
        "of the data for scripts, 200 scripts of 2,000,000 characters, 50,000 values 40 deep,"
        " and 100,000 characters of a text in markdown are read",
        loses_text=True,
    ),
    "comments": Cap("500 comments, 32,000 bytes, and 4,000 characters a comment are listed"),
    "facts": Cap("120 facts and 12,000 bytes of them are listed"),
    "fact_values": Cap("20 values of a property and 200 characters a value are listed"),
    "images": Cap("50 pictures and 8,000 bytes about them are listed"),
    "captions": Cap("300 characters of a picture's description and of its caption are listed"),
}  # fmt: skip
