"""Find a page's wall: the box that asks a visitor to register or to pay before reading on."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from webseam.ports.pages import PageAccess

from .metadata import PageHead
from .page_segments import PageSegments

# The box asks to read on, and names an account or a subscription, in the languages of most pages.
# All are for text in lower case: ignoring case takes three times as long.
_READ_ON_PATTERN: Final = re.compile(
    r"\b(?:(?:continue|keep|go on|finish) reading|(?:to|and) (?:continue|read on)\b"
    r"|(?:read|unlock|access|view|see) (?:the |this |all )?(?:full|entire|whole|rest|article|story)"
    r"|(?:subscriber|member)s? ?-?only"
    r"|(?:only|exclusive(?:ly)?) (?:for|to) (?:\w+ )?(?:subscriber|member)|weiterlesen"
    r"|weiter lesen|(?:diesen|den ganzen|den vollständigen) (?:artikel|beitrag|text)"
    r"|(?:la suite|réservée?s?|cet article).{0,40}(?:abonné|connect|inscri|lire)"
    r"|pour (?:continuer|lire)|(?:seguir|continuar|sigue|continúa) leyendo|para suscriptores"
    r"|a leggere|agli abbonati|continu\w+ (?:lendo|a ler)|para assinantes|verder (?:te )?lezen"
    r"|lees verder|voor abonnees|(?:läs|læs|les) (?:vidare|videre|hela|hele)|för prenumeranter"
    r"|for abonnenter|lue (?:koko|lisää)|czytać? dalej|dla (?:subskrybent|prenumerator)"
    r"|aby przeczytać|číst dál|pro předplatitel|читать (?:дальше|далее|полностью)|дочитать"
    r"|для подписчиков)|続きを|会員限定|有料会員|(?:继续|繼續|全文).{0,4}(?:阅读|閱讀)?"
    r"|계속 (?:읽|보)|전용 (?:기사|콘텐츠)"
)
_SUBSCRIPTION_FORMS: Final = (
    r"subscri(?!be to (?:our|the) newsletter)|abonn|\babo\b|prenum|assin|suscri|abbon|предплат"
    r"|подпис|předplat|subskry|premium|tilaa|abone|订阅|訂閱|有料|구독"
)
_PAYMENT_PATTERN: Final = re.compile(rf"{_SUBSCRIPTION_FORMS}|[$€£]\s?\d|\d\s?(?:€|kr|zł)")
_ACCOUNT_PATTERN: Final = re.compile(
    r"(?:sign|log)[ -]?(?:in|up|on)\b|regist|\baccount|\bmember|anmeld|konto|connect|inscri"
    r"|sesi[oó]n|accedi|iscri|entrar|inlog|logga|logg|zaloguj|rejestr|войти|зарегистр|giriş|登录"
    r"|登入|注册|ログイン|会員|로그인|가입"
)
# Where the page hides a rest, any of these is a wall; a price alone asks for nothing.
_DEMAND_PATTERN: Final = re.compile(
    f"{_READ_ON_PATTERN.pattern}|{_SUBSCRIPTION_FORMS}|{_ACCOUNT_PATTERN.pattern}"
)
_MAX_WALL_WORDS: Final = 120
_MIN_PARAGRAPH_WORDS: Final = 15
# A wall stands at the end of the text; look only there.
_REACH_RUNS: Final = 12
_MIN_WHOLE_WORDS: Final = 300
_MIN_WHOLE_SHARE: Final = 0.8
_ACCESS_BY_TIER: Final[dict[str, PageAccess]] = {
    "free": "free",
    "locked": "payment",
    "metered": "payment",
}


class PageWall(msgspec.Struct, frozen=True):
    """The runs of a wall, and what it asks for."""

    runs: range
    access: PageAccess


def declared_access(head: PageHead) -> PageAccess:
    """Return the access that a page states in linked data or meta tags."""
    stated = [
        thing["isAccessibleForFree"] for thing in head.things if "isAccessibleForFree" in thing
    ]
    answers = {str(answer).rpartition("/")[2].lower() for answer in stated}
    if "false" in answers:
        return "payment"
    tier = head.metas.get("article:content_tier", "").strip().lower()
    return _ACCESS_BY_TIER.get(tier, "free" if "true" in answers else "unknown")


def find_wall(segments: PageSegments, kept: Sequence[bool], *, has_rest: bool) -> PageWall | None:
    """Return the wall at the end of the kept runs; None where the text goes on after it.

    ``has_rest`` tells that the page hides the rest of a text: the kept runs may go on with it, and
    the wall need not say that it stands before a rest.
    """
    runs, indexes = segments.runs, [index for index, keep in enumerate(kept) if keep]
    longs = [index for index in indexes if runs[index].words >= _MIN_PARAGRAPH_WORDS]
    last_long = longs[-1] if longs else -1
    start = indexes[-_REACH_RUNS:][0] if indexes else 0
    stop = min(indexes[-1] + _REACH_RUNS, len(runs)) if indexes else 0
    if not has_rest:
        # The box of a wall before the last paragraph holds that too, and is short.
        words = accumulate(run.words for run in reversed(runs[start : last_long + 1]))
        start = max(start, last_long + 1 - sum(count <= _MAX_WALL_WORDS for count in words))
    for index in range(start, stop):
        run = runs[index]
        asked = _DEMAND_PATTERN if has_rest and index > last_long else _READ_ON_PATTERN
        if run.words <= _MAX_WALL_WORDS and asked.search(run.text.lower()):
            box = _wall_box(segments, index)
            text = " ".join(run.text for run in runs[box.start : box.stop]).lower()
            is_last = last_long < box.stop
            is_paid = _PAYMENT_PATTERN.search(text) is not None
            if (is_last or has_rest) and (is_paid or _ACCOUNT_PATTERN.search(text)):
                whole = range(box.start, len(runs) if is_last else box.stop)
                return PageWall(whole, "payment" if is_paid else "registration")
    return None


def _wall_box(segments: PageSegments, index: int) -> range:
    """Return the runs of the largest box around a run that holds no paragraph of the text."""
    runs, boxes = segments.runs, segments.boxes
    wall = range(index, index + 1)
    number = runs[index].box
    while number > 0:
        box = boxes[number]
        inside = runs[box.first : box.last]
        is_wall = sum(run.words for run in inside) <= _MAX_WALL_WORDS and not any(
            run.tag == "h1"
            or (run.words >= _MIN_PARAGRAPH_WORDS and not _DEMAND_PATTERN.search(run.text.lower()))
            for run in inside
        )
        if not is_wall:
            break
        wall = range(box.first, box.last)
        number = box.parent
    return wall


def is_whole_text(words: int, things: Iterable[dict[str, object]]) -> bool:
    """Tell whether a text that its page declares not free is whole, by its number of words."""
    expected = max([_stated_words(thing) for thing in things], default=0)
    return words >= (_MIN_WHOLE_SHARE * expected or _MIN_WHOLE_WORDS)


def _stated_words(thing: dict[str, object]) -> int:
    body, count = thing.get("articleBody"), str(thing.get("wordCount"))
    if isinstance(body, str):
        return len(body.split())
    return int(count) if count.isdecimal() else 0


def longest_article_body(things: Iterable[dict[str, object]]) -> str:
    """Return the longest text that linked data gives as the body of an article."""
    bodies = [body for thing in things if isinstance(body := thing.get("articleBody"), str)]
    return max(bodies, key=len, default="")
