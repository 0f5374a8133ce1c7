"""Every field of a receipt has a sentence in the documentation."""

import re

from webseam.ports.attempts import BackendAttempt
from webseam.ports.evidence import AskReceipt
from webseam.ports.receipts import ExtractReceipt, SearchReceipt
from webseam.ports.x_search import XSearchReceipt

from .snippets import ROOT

RECEIPTS = (SearchReceipt, ExtractReceipt, AskReceipt, XSearchReceipt, BackendAttempt)


def test_field_of_a_receipt_has_a_sentence_in_the_documentation() -> None:
    page = (ROOT / "docs" / "choosing.md").read_text("utf-8")
    section = page.partition("## What the receipt says")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", section))

    untold = {
        f"{receipt.__name__}.{field}"
        for receipt in RECEIPTS
        for field in receipt.__struct_fields__
        if field not in told
    }

    assert untold == set(), "Say in docs/choosing.md, “What the receipt says”, what these mean."
