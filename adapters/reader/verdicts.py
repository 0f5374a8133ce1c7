"""Detect pages without content: a script's shell, a bot check, a login wall, a soft 404.

Every sign counts only on a short page: an article about captchas is an article.
"""

import re
from typing import Final

import msgspec
from turbohtml import Document

from webseam.ports.errors import BlockedByRemote, EmptyContent

_MAX_CHALLENGE_WORDS: Final = 120
_MAX_SHORT_PAGE_WORDS: Final = 250
# A page that hides a long text and shows a few words has not been read by these.
_MAX_HIDDEN_CHARS: Final = 600
MIN_SHOWN_WORDS: Final = 20
# "Skip to main content" and the like lead to a place on the page itself.
_ANCHOR_LINK_PATTERN: Final = re.compile(r"\[[^\[\]]{0,80}\]\([^()\s]{0,2000}#[^()\s]{0,200}\)")
# An empty box on a page of a few words: a script fills it.
MOUNT_SELECTOR: Final = ":not(a,br,hr,i,img,p,span,td,th,wbr):empty"
_UNLIKELY_CHANCE: Final = 0.2
_MIN_SHELL_SCRIPTS: Final = 3
_CHALLENGE_TITLE_PATTERN: Final = re.compile(
    r"^(?:just a moment|attention required|access (?:to this page has been )?denied"
    r"|one moment,? please"
    r"|(?:are you|you are) (?:a )?(?:human|robot)|robot check|bot (?:check|verification)"
    r"|security (?:check|verification|checkpoint)|pardon our interruption|ddos-guard"
    r"|checking your browser|verif(?:y|ying) (?:that )?you are|human verification|request blocked"
    r"|please wait\.\.\.|captcha|.{0,40}\bvercel security checkpoint"
    # Cloudflare and similar services in other languages.
    r"|(?:nur )?einen moment(?:…|\.\.\.| bitte)|un (?:instant|momento)(?:…|\.\.\.)"
    r"|um momento(?:…|\.\.\.)|een (?:moment|ogenblik) geduld|один момент|подождите|jeszcze chwila"
    r"|chwileczkę|bir dakika|tunggu sebentar|请稍候|請稍候|しばらくお待ち|잠시만 기다"
    r"|zugriff verweigert|accès refusé|acceso denegado|acesso negado|accesso negato"
    r"|toegang geweigerd|доступ (?:запрещ|огранич)|安全验证|安全驗證|人机验证"
    r"|访问(?:被拒绝|受限|异常)|アクセスが?拒否|접근이? ?거부)",
    re.IGNORECASE,
)
_CHALLENGE_TEXT_PATTERN: Final = re.compile(
    r"verify(?:ing)? (?:that )?you(?:'|\u2019| a)re (?:a |not a )?(?:human|robot|bot)"
    r"|checking your browser"
    r"|complete the (?:security check|captcha)"
    r"|(?:unusual|suspicious) (?:traffic|activity) from your"
    r"|you have been blocked|press (?:&|and) hold to confirm"
    r"|enable (?:javascript and )?cookies to continue"
    r"|needs to review the security of your connection|performing security verification",
    re.IGNORECASE,
)
_CHALLENGE_PART_SELECTOR: Final = (
    "[id]:is(#challenge-form,#challenge-running,#challenge-error-text,#cf-challenge-running,"
    "#px-captcha,#cf-error-details,#sec-if-cpt-container),.cf-error-details"
)
# Separate selectors: the parser looks tags up in an index instead of walking the page.
_CHALLENGE_SCRIPT_SELECTOR: Final = (
    "script:is([src*='_Incapsula_Resource'],[src*='captcha-delivery.com'],"
    "[src*='/challenge-platform/h/'])"
)
_CHALLENGE_FRAME_SELECTOR: Final = (
    "iframe:is([src*='_Incapsula_Resource'],[src*='captcha-delivery.com'])"
)
_NEEDS_SCRIPT_PATTERN: Final = re.compile(
    r"(?:enable|requires?|turn on|without|activate|needs?) (?:\w+ ){0,3}java\s?script"
    r"|java\s?script (?:is|must be|to be|has been) (?:\w+ ){0,2}(?:required|(?:en|dis)abled|turned)"
    r"|browser (?:is|isn't|does not|doesn't) (?:\w+ ){0,2}support"
    r"|(?:aktivier|schalt|activ|habilit|abilit|schakel|aktiver|włącz|включит|увімкн)\w*"
    r" (?:\w+ ){0,3}java\s?script|java\s?script (?:aktivieren|einschalten|inschakelen)"
    r"|(?:启用|开启|打开|允许|啟用)\s?java\s?script"
    r"|java\s?script\s?(?:を有効|が無効|를 활성|을 활성)",
    re.IGNORECASE,
)
_MISSING_PAGE_PATTERN: Final = re.compile(
    r"^(?:error )?40[4]\b|\b404\b.{0,20}(?:error|not found|page)|(?:page|content|article|file|post)"
    r" (?:you (?:requested|are looking for) )?(?:was |is |could |can |cannot |does |has )?"
    r"(?:not |n't |no longer )?(?:be )?(?:not found|found\b.{0,3}$|missing|exist|available|moved)"
    r"|^(?:page )?not found|can(?:'|\u2019)?t (?:seem to )?find (?:the|that|this) page"
    r"|seite (?:wurde )?(?:leider )?nicht gefunden|page (?:est )?(?:introuvable|non trouvée)"
    r"|página no (?:encontrada|existe)|página não (?:foi )?encontrada"
    r"|pagina non (?:è stata )?trovata|pagina niet gevonden"
    r"|sidan (?:kunde inte hittas|hittades inte|finns inte)|sivua ei löyt"
    r"|siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)"
    r"|nie znaleziono strony|strona nie (?:została znaleziona|istnieje)"
    r"|stránka (?:nenalezena|nebyla nalezena)|az oldal nem található|pagina nu a fost găsită"
    r"|страниц[аы] не (?:найдена|существует)|сторінку не знайдено|sayfa bulunamadı"
    r"|η σελίδα δεν (?:βρέθηκε|υπάρχει)|الصفحة غير موجودة|لم يتم العثور على الصفحة"
    r"|halaman tidak ditemukan|không tìm thấy trang|ไม่พบหน้า"
    r"|페이지를 찾을 수 없|ページが?(?:見つかりません|存在しません)|頁面不存在"
    r"|页面(?:不存在|未找到|没有找到|找不到)|找不到(?:该|此|您要的)?(?:页面|網頁|网页)",
    re.IGNORECASE,
)
_LOGIN_PATTERN: Final = re.compile(
    r"^(?:please )?(?:log ?in|sign ?in|login|anmelden|einloggen|connexion|se connecter|accedi"
    r"|iniciar sesi[oó]n|entrar|fazer login|inloggen|logga in|logg inn|log ind|kirjaudu|zaloguj"
    r"|logowanie|přihlášení|prihlásenie|bejelentkezés|autentificare|вход|войти|авторизация|вхід|увійти"
    r"|giriş|oturum aç|σύνδεση|masuk|đăng nhập)\b"
    r"|^(?:تسجيل الدخول|ورود|התחבר|เข้าสู่ระบบ|로그인|ログイン|サインイン|登录|登錄|登入)"
    r"|\b(?:log ?in|sign ?in) to"
    r"|(?:log|sign) in (?:\W+|or) sign up|you must (?:be logged|log|sign) in",
    re.IGNORECASE,
)
_CONSENT_PATTERN: Final = re.compile(
    r"^(?:before you continue|(?:your )?(?:privacy|cookie) (?:choices|consent|settings|preferences)"
    r"|we value your privacy|cookie consent|manage (?:cookies|consent)|consent)\b"
    r"|accept (?:all )?cookies (?:and|to) continue"
    r"|^(?:bevor sie (?:zu|fort|weiter)|avant d[e'\u2019] ?(?:continuer|accéder)"
    r"|antes de (?:continuar|ir a)|prima di (?:continuare|passare)|voordat je (?:verder|naar)"
    r"|прежде чем (?:продолжить|перейти)|(?:datenschutz|cookie)-?einstellungen"
    r"|paramètres (?:des|de) cookies|configuración de cookies|impostazioni (?:dei )?cookie"
    r"|cookie-?instellingen)",
    re.IGNORECASE,
)


def has_challenge(document: Document) -> bool:
    """Tell whether a page has the markup of a bot check; call this before pruning."""
    selectors = (_CHALLENGE_SCRIPT_SELECTOR, _CHALLENGE_FRAME_SELECTOR, _CHALLENGE_PART_SELECTOR)
    return any(document.select_one(selector) is not None for selector in selectors)


class PageSigns(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a page that ``judge_page`` decides by."""

    title: str
    heading: str
    kind: str | None
    text: str
    words: int
    content: str
    best: float
    scripts: int
    passwords: int
    challenge: bool
    hidden_chars: int = 0
    is_mount: bool = False


def judge_page(signs: PageSigns) -> EmptyContent | BlockedByRemote | None:
    """Return why this page has no content to read; None when it has."""
    if signs.words <= _MAX_SHORT_PAGE_WORDS:
        wall = _judge_short_page(signs)
        if wall is not None:
            return wall
    is_filled = signs.is_mount or signs.text.casefold() in signs.title.casefold()
    is_hidden = signs.words < MIN_SHOWN_WORDS and (
        signs.hidden_chars > _MAX_HIDDEN_CHARS or (is_filled and signs.scripts > 0)
    )
    if is_hidden or not _ANCHOR_LINK_PATTERN.sub("", signs.content).strip():
        return EmptyContent(reason="needs_browser" if signs.scripts else "no_text")
    is_scripted = signs.words <= _MAX_SHORT_PAGE_WORDS and signs.scripts >= _MIN_SHELL_SCRIPTS
    if is_scripted and signs.best < _UNLIKELY_CHANCE and not _is_manual_entry(signs):
        return EmptyContent(reason="needs_browser")
    return None


def _is_manual_entry(signs: PageSigns) -> bool:
    """Tell whether this is a short page of a manual: its title repeats its heading."""
    heading = signs.heading.casefold()
    return signs.kind == "documentation" and bool(heading) and heading in signs.title.casefold()


def _judge_short_page(signs: PageSigns) -> EmptyContent | BlockedByRemote | None:
    names = (signs.title, signs.heading)
    is_short = signs.words <= _MAX_CHALLENGE_WORDS
    if _is_challenge_page(signs, names):
        return BlockedByRemote(wall="challenge")
    if is_short and signs.scripts and _NEEDS_SCRIPT_PATTERN.search(signs.text):
        return EmptyContent(reason="needs_browser")
    if any(_MISSING_PAGE_PATTERN.search(name) for name in names):
        return EmptyContent(reason="soft_404")
    if signs.passwords and any(_LOGIN_PATTERN.search(name) for name in names):
        return BlockedByRemote(wall="login")
    if any(_CONSENT_PATTERN.search(name) for name in names):
        return BlockedByRemote(wall="consent")
    return None


def _is_challenge_page(signs: PageSigns, names: tuple[str, str]) -> bool:
    if signs.challenge or any(_CHALLENGE_TITLE_PATTERN.match(name) for name in names):
        return True
    return (
        signs.words <= _MAX_CHALLENGE_WORDS
        and _CHALLENGE_TEXT_PATTERN.search(signs.text) is not None
    )
