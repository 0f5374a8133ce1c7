import msgspec
import pytest
from msgspec.structs import replace

from webseam.adapters.reader import read_html
from webseam.adapters.reader.verdicts import PageSigns, judge_page
from webseam.ports.errors import BlockedByRemote, EmptyContent, ParseFailed, WebError

from .read import PARAGRAPH, URL, article, page, refusal


def empty(reason: str) -> EmptyContent:
    return EmptyContent(reason=reason, url=URL)  # type: ignore[arg-type] # the test's own table


def blocked(wall: str) -> BlockedByRemote:
    return BlockedByRemote(wall=wall, url=URL)  # type: ignore[arg-type] # the test's own table


@pytest.mark.parametrize(
    ("html", "error"),
    [
        ("", empty("no_body")),
        (b" \n", empty("no_body")),
        ("<title>x</title>", empty("no_text")),
        ("<frameset><frame src=x></frameset>", empty("no_text")),
        (
            "<title>App</title><script src=/a.js></script><div id=root></div>",
            empty("needs_browser"),
        ),
        ("<script></script><main></main><p>Home</p><p>Harbour Times</p>", empty("needs_browser")),
        ("<script></script><app-root></app-root><p>We use cookies.</p>", empty("needs_browser")),
        ("<title>Tides</title><script></script><p>Tides</p>", empty("needs_browser")),
        (
            "<script></script><p>You need to enable JavaScript to run this app.</p>",
            empty("needs_browser"),
        ),
        ("<title>Just a moment...</title><p>Verifying</p>", blocked("challenge")),
        ("<title>shop.example</title><p>Please verify you are human.</p>", blocked("challenge")),
        ("<title>x</title><div id=px-captcha></div><p>Hold</p>", blocked("challenge")),
        ("<h1>Access Denied</h1><p>Reference 12</p>", blocked("challenge")),
        ("<title>404 - Page not found</title><p>Sorry. Try the search.</p>", empty("soft_404")),
        ("<title>Shop</title><h1>Page not found</h1><p>Sorry.</p>", empty("soft_404")),
        (
            "<title>Log in to Quay</title><form><input type=password></form><p>Log in</p>",
            blocked("login"),
        ),
        (
            "<title>Before you continue</title><p>We use cookies.</p><button>Accept</button>",
            blocked("consent"),
        ),
    ],
)
def test_wall_or_empty_page_is_a_typed_refusal(html: str | bytes, error: object) -> None:
    assert refusal(html) == error


@pytest.mark.parametrize(
    ("title", "body", "error"),
    [
        ("Nur einen Moment…", "", BlockedByRemote(wall="challenge")),
        ("Un instant…", "", BlockedByRemote(wall="challenge")),
        ("Один момент…", "", BlockedByRemote(wall="challenge")),
        ("请稍候…", "", BlockedByRemote(wall="challenge")),
        ("しばらくお待ちください...", "", BlockedByRemote(wall="challenge")),
        ("Accès refusé", "", BlockedByRemote(wall="challenge")),
        ("Seite nicht gefunden | Hafen", "", EmptyContent(reason="soft_404")),
        ("Page introuvable", "", EmptyContent(reason="soft_404")),
        ("Página no encontrada", "", EmptyContent(reason="soft_404")),
        ("Pagina non trovata", "", EmptyContent(reason="soft_404")),
        ("Страница не найдена", "", EmptyContent(reason="soft_404")),
        ("Sayfa bulunamadı", "", EmptyContent(reason="soft_404")),
        ("الصفحة غير موجودة", "", EmptyContent(reason="soft_404")),
        ("页面不存在", "", EmptyContent(reason="soft_404")),
        ("ページが見つかりません", "", EmptyContent(reason="soft_404")),
        ("페이지를 찾을 수 없습니다", "", EmptyContent(reason="soft_404")),
        ("Se connecter", "<input type=password>", BlockedByRemote(wall="login")),
        ("Вход на сайт", "<input type=password>", BlockedByRemote(wall="login")),
        ("登录 - 海边", "<input type=password>", BlockedByRemote(wall="login")),
        ("ログイン", "<input type=password>", BlockedByRemote(wall="login")),
        ("Bevor Sie zu Hafen weitergehen", "", BlockedByRemote(wall="consent")),
        ("Avant d’accéder au port", "", BlockedByRemote(wall="consent")),
        (
            "App",
            "<script></script><p>Bitte aktivieren Sie JavaScript, um fortzufahren.</p>",
            EmptyContent(reason="needs_browser"),
        ),
        (
            "App",
            "<script></script><p>Veuillez activer JavaScript.</p>",
            EmptyContent(reason="needs_browser"),
        ),
        (
            "App",
            "<script></script><p>JavaScriptを有効にしてください。</p>",
            EmptyContent(reason="needs_browser"),
        ),
        (
            "App",
            "<script></script><p>请启用 JavaScript 后继续。</p>",
            EmptyContent(reason="needs_browser"),
        ),
    ],
)
def test_walls_are_recognised_in_their_language(title: str, body: str, error: WebError) -> None:
    html = f"<title>{title}</title>{body}<p>Some words that are left.</p>"

    assert msgspec.structs.replace(refusal(html), url=None) == error


@pytest.mark.parametrize(
    "title",
    [
        "Un momento de paz",
        "Nur einen Moment lang",
        "Entrar en el puerto",
        "Вход в гавань",
    ],
)
def test_a_short_page_with_words_like_these_is_a_page(title: str) -> None:
    assert page(f"<title>{title}</title><h1>{title}</h1><p>{PARAGRAPH}</p>").content


@pytest.mark.parametrize(
    "title",
    [
        "Just a moment in time",
        "404 ways to lay stone",
        "How to log in to a server",
        "Consent in law",
        "Captcha, a history",
    ],
)
def test_a_long_page_with_such_a_title_is_a_page(title: str) -> None:
    body = "".join(f"<p>{n}: {PARAGRAPH}</p>" for n in range(8))

    assert f"7: {PARAGRAPH}" in page(f"<title>{title}</title><h1>{title}</h1>{body}").content


def test_a_scripted_page_with_nothing_likely_needs_a_browser() -> None:
    links = "".join(
        f"<div class='footer-legal cookie'><a href=/{n}>Terms {n}</a></div>" for n in range(60)
    )

    assert refusal("<script></script>" * 5 + links) == empty("needs_browser")


def test_a_login_form_on_a_page_with_text_is_no_wall() -> None:
    more = "".join(f"<p>{n}: {PARAGRAPH}</p>" for n in range(6))

    assert PARAGRAPH in page(article(more + "<form>Log in <input type=password></form>")).content


def test_markup_built_to_blow_up_is_refused() -> None:
    html = "".join(f"<p><font size={n}>" for n in range(8000))

    assert refusal(html) == ParseFailed(reason="too_complex", url=URL)
    assert refusal(html.encode()) == ParseFailed(reason="too_complex", url=URL)


def test_paragraphs_nobody_closes_are_no_bomb() -> None:
    assert page("<p>word " * 3000).content.startswith("word\n\nword")


ENTRY = PageSigns(
    title="Macros - Help",
    heading="Macros",
    kind="documentation",
    text="Macros Opens the list of macros.",
    words=6,
    content="# Macros\n\nOpens the list of macros.",
    best=0.1,
    scripts=12,
    passwords=0,
    challenge=False,
)
SHELL = EmptyContent(reason="needs_browser")


@pytest.mark.parametrize(
    ("signs", "verdict"),
    [
        (ENTRY, None),
        (replace(ENTRY, heading="Loading"), SHELL),
        (replace(ENTRY, heading=""), SHELL),
        (replace(ENTRY, kind="service"), SHELL),
    ],
)
def test_a_short_entry_of_a_manual_is_a_page_whatever_scripts_it_has(
    signs: PageSigns, verdict: EmptyContent | None
) -> None:
    assert judge_page(signs) == verdict


@pytest.mark.parametrize("more", ["", "<p>Loading...</p>"])
def test_a_link_to_the_page_itself_and_a_control_are_no_content(more: str) -> None:
    link = f"<a href=#main>Skip to main content</a>{more}"
    html = f"<script src=a.js></script>{link}<div id=root></div>"

    assert isinstance(read_html(html, "https://example.com/a").failure(), EmptyContent)
