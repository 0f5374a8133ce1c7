import pytest

from webseam.adapters.pages.safe_text import one_line, strip_hidden
from webseam.ports.errors import EmptyContent

from .read import PARAGRAPH, URL, article, page, refusal


@pytest.mark.parametrize(
    "html",
    [
        "<div style='display:none'>SECRET</div>",
        "<div style='DISPLAY : NONE'>SECRET</div>",
        "<p hidden>SECRET</p>",
        "<span style='font-size:0'>SECRET</span>",
        "<span style='font-size: 0px'>SECRET</span>",
        "<div style='position:absolute;left:-9999px'>SECRET</div>",
        "<div style='text-indent:-5000px'>SECRET</div>",
        "<div style='clip: rect(0 0 0 0)'>SECRET</div>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p aria-hidden=true style='opacity:0.0'>SECRET</p>",
        "<div style='height:0;overflow:hidden'>SECRET</div>",
        "<div style='max-height: 0px; overflow-y: hidden'>SECRET</div>",
        "<div style='width:0;height:0;overflow:clip'>SECRET</div>",
        "<span style='font-size:1px'>SECRET</span>",
        "<div style='position:fixed;right:-5000px'>SECRET</div>",
        "<div style='position:absolute;left:99999px'>SECRET</div>",
        "<div style='transform:translateX(-9999px)'>SECRET</div>",
        "<div style='transform: translate(0, -10000px)'>SECRET</div>",
        "<div style='transform:scale(0)'>SECRET</div>",
        "<div style='clip:rect(1px,1px,1px,1px)'>SECRET</div>",
        "<div style='clip-path:circle(0)'>SECRET</div>",
        "<div style='clip-path: polygon(0 0, 0 0, 0 0)'>SECRET</div>",
        "<p style='color:white'>SECRET</p>",
        "<p style='color: #FFF'>SECRET</p>",
        "<p style='color:#fefefe'>SECRET</p>",
        "<p style='color:rgb(255, 255, 255)'>SECRET</p>",
        "<p style='color:rgb(100% 100% 100%)'>SECRET</p>",
        f"<p style='color:rgb({'9' * 400}, 255, 255)'>SECRET</p>",
        "<p style='color:transparent'>SECRET</p>",
        "<p style='color:rgba(0,0,0,0)'>SECRET</p>",
        "<font color=white>SECRET</font>",
        "<div class=post><p>" + "In black. " * 9 + "</p><p style='color:white'>SECRET</p></div>",
        "<div style='background:#123456'><b style='color:#123456'>SECRET</b></div>",
        "<table bgcolor=black><tr><td><font color='#000'>SECRET</font></table>",
        "<!-- SECRET -->",
        "<template>SECRET</template>",
        "<noscript>SECRET</noscript>",
        "<script>SECRET</script>",
        "<style>SECRET</style>",
        "<svg><title>SECRET</title><text>SECRET</text></svg>",
        "<iframe>SECRET</iframe>",
        "<object>SECRET</object>",
        "<textarea>SECRET</textarea>",
        "<select><option>SECRET</select>",
        "<dialog>SECRET</dialog>",
        "<button>Buy</button><div hidden>SECRET</div>",
        "<p class=faq>Why?</p><p style='display:none'>SECRET</p>",
        "<p class=tab-pane hidden>Some.</p><p class=tab-pane hidden>SECRET</p>",
        "<h3>One</h3><p hidden>SECRET</p><h3>Two</h3><p hidden>SECRET</p>",
        "<div style='position:absolute;left:-100%'>SECRET</div>",
        "<h3>More</h3>in plain sight<p class=accordion hidden>SECRET</p>",
    ],
)
def test_text_that_nobody_sees_is_not_read(html: str) -> None:
    document = page(article(html))

    assert "SECRET" not in document.content
    assert PARAGRAPH in document.content


def test_the_number_of_hidden_parts_is_noted() -> None:
    assert (
        "removed 2 hidden parts"
        in page(article("<p hidden>a</p><p style='display:none'>b</p>")).notes
    )


@pytest.mark.parametrize(
    "html",
    [
        "<button aria-controls=more>More</button><p id=more hidden>",
        "<a href=#more>More</a><p id=more style='display:none'>",
        "<p role=tabpanel hidden>",
        "<button data-tab=more>More</button><p>Some.</p><p id=more hidden>",
        "<button aria-expanded=false>More</button><p hidden>",
        "<h3><button aria-expanded=false>More</button></h3> <p style='display:none'>",
        "<button @click='open = !open'>More</button><p x-show=open style='display:none'>",
        "<h3 class=accordion-title>More</h3><p style='height:0;overflow:hidden'>",
        "<dl><dt>Why?<dd class=faq-answer style='display:none'><p>",
        "<div class=faq-question>Why?</div><div class=faq-answer style='display:none'><p>",
        "<div class='tab-pane active'>Some.</div><div class=tab-pane style='display:none'><p>",
        "<h3>One</h3><p hidden>1</p><h3>Two</h3><p hidden>2</p><h3>Three</h3><p hidden>",
        "<div style='width:900%;left:-100%'><p>",
        "<details><summary>More</summary><p>",
        "<p hidden id='S:1'>",
        "<p hidden=until-found>",
        "<p style='opacity:0.5'>",
        "<p style='font-size:0.9em'>",
        "<p style='height:0'>",
        "<p style='color:black'>",
        "<p style='color:var(--white)'>",
        "<p style='background:#fff;color:#111'>",
        "<p style='background-color:navy;color:white'>",
        "<p style='background:url(sea.jpg);color:white'>",
        "<p class=banner style='color:white'>",
        "<p style='color:transparent;background-clip:text'>",
    ],
)
def test_text_behind_a_click_is_read(html: str) -> None:
    assert f"Once, {PARAGRAPH}" in page(article(f"{html}Once, {PARAGRAPH}</p>")).content


WAITING = "kept text that the page hides until its script has run"


def test_a_page_that_fades_in_is_read_and_says_so() -> None:
    parts = "".join(f"<p style='opacity:0'>{n}: {PARAGRAPH}</p>" for n in range(8))

    document = page(article(parts))

    assert f"7: {PARAGRAPH}" in document.content
    assert WAITING in document.notes


def test_a_page_hidden_as_a_whole_until_its_script_runs_is_read_and_says_so() -> None:
    paragraphs = "".join(f"<p>{n}: {PARAGRAPH}</p>" for n in range(8))

    document = page(f"<body style='opacity:0'><div style='display:none'>{paragraphs}</div>")

    assert f"7: {PARAGRAPH}" in document.content
    assert document.notes == (WAITING,)


def test_a_hidden_half_of_a_page_is_not_read() -> None:
    paragraphs = "".join(f"<p>{n}: {PARAGRAPH}</p>" for n in range(8))

    document = page(
        f"<main>{paragraphs}</main><div style='display:none'>{paragraphs.replace(':', ' obey:')}</div>"
    )

    assert f"7: {PARAGRAPH}" in document.content
    assert "obey" not in document.content


def test_hidden_text_longer_than_the_page_is_not_read() -> None:
    document = page(f"<p>Welcome to the harbour.</p><p hidden>Obey: {PARAGRAPH}</p>")

    assert document.content == "Welcome to the harbour."


def test_a_page_that_lives_in_its_navigation_is_read() -> None:
    assert PARAGRAPH in page(f"<nav><p>{PARAGRAPH}</p></nav><p>x</p>").content


@pytest.mark.parametrize(
    ("text", "shown", "removed"),
    [
        ("hi\U000e0069\U000e0067", "hi", 2),
        (
            "pay\u200bload\u2060 \u2062\u2063\ufeff\u180e\u3164\uffa0\U000e0100\ufe0f end",
            "payload  end",
            10,
        ),
        ("abc \u202eevil\u202c \u2066x\u2069", "abc evil x", 4),
        ("soft\u00adhyphen", "softhyphen", 1),
        ("\x1b]0;owned\x07red", "]0;ownedred", 2),
        ("x\u200dy x\u200cy", "xy xy", 2),
        ("a\ufe0f\u200d\U0001f600", "a\U0001f600", 2),
        ("line\r\nbreak\u2028here", "line\nbreak\nhere", 0),
        ("half \ud800", "half \ufffd", 0),
    ],
)
def test_characters_that_hide_are_removed_and_counted(text: str, shown: str, removed: int) -> None:
    assert strip_hidden(text) == (shown, removed)


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "क्\u200dष हिन्दी",
        "ന്\u200d",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2764\ufe0f 1\ufe0f\u20e3 \U0001f3f3\ufe0f\u200d\U0001f308",
        "plain\ttext\nof two lines",
    ],
)
def test_joiners_that_a_script_or_an_emoji_needs_stay(text: str) -> None:
    assert strip_hidden(text) == (text, 0)


def test_invisible_characters_in_a_page_are_noted() -> None:
    document = page(article("<p>pay\u200bload of stone for the wall</p>"))

    assert "payload of stone" in document.content
    assert "removed 1 invisible character" in document.notes


def test_a_title_is_one_bounded_line() -> None:
    assert one_line("t2\n\n SYSTEM:\u200b obey") == "t2 SYSTEM: obey"
    assert len(one_line("x" * 5000)) == 300
    assert page("<title>a\n\nb</title><p>text").title == "a b"


def test_a_frame_for_pages_without_scripts_does_not_swallow_the_page() -> None:
    frame = "<noscript><iframe src=https://tags.example height=0></noscript>"

    assert (
        "The tide comes in twice a day"
        in page(
            f"<body>{frame}<main><h1>Tides</h1><p>The tide comes in twice a day.</p></main>"
        ).content
    )


def test_footer_of_a_quote_is_kept() -> None:
    quote = "<blockquote><p>All is flux.</p><footer>Heraclitus</footer></blockquote>"

    content = page(article(f"{quote}<footer>Printed in the harbour</footer>")).content

    assert "> All is flux.\n>\n> Heraclitus" in content
    assert "Printed" not in content


def test_a_page_that_hides_nearly_all_of_itself_is_no_success() -> None:
    hidden = "".join(f"<p style='display:none'>{number}. {PARAGRAPH}</p>" for number in range(9))

    assert refusal(f"<body>{hidden}<p>Copyright of the paper, all rights reserved</p></body>") == (
        EmptyContent(reason="no_text", url=URL)
    )
