"""``webseam doctor`` says what keeps parsers and the browser in."""

import json

import pytest

from tests.doors.cli.run import webseam
from webseam.adapters.pages.settings import BrowserSettings
from webseam.adapters.pages.workers.sandbox import Confinement
from webseam.composition.features.browser.rendering import _confinement_text, examine_sandboxes


@pytest.mark.parametrize(
    ("walls", "words"),
    [
        (
            Confinement(7, seccomp=True, proven=True),
            "Landlock 7 and seccomp: no file, socket or program",
        ),
        (Confinement(0, seccomp=True, proven=True), "seccomp: no file, socket or program"),
        (Confinement(1, seccomp=False, proven=False), "Landlock 1: in part"),
        (Confinement(), "limits alone; neither Landlock nor seccomp is available"),
    ],
)
def test_walls_are_named(walls: Confinement, words: str) -> None:
    assert _confinement_text(walls) == words


def test_without_a_browser_there_is_nothing_to_keep_in() -> None:
    assert examine_sandboxes(BrowserSettings(browser="no-such-browser")).browser == "there is none"


def test_doctor_says_what_holds_on_this_machine() -> None:
    ran = webseam("doctor", "pages", "--json", WEBSEAM_RENDER_BROWSER="/bin/true")

    sandboxes = json.loads(ran.out)["data"]["sandboxes"]
    assert sandboxes["parsers"]
    assert ", its own sandbox, " in sandboxes["browser"]
