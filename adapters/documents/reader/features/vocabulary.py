"""Map words in class names, ids and roles to groups of purposes, as bit masks.

Sites in all languages mostly use English names.
"""

import re
from collections import defaultdict
from functools import lru_cache
from typing import Final

GROUPS: Final = (
    ("navigation", r"nav(?!al)|menu|crumb|pagina|pager|toolbar|skip|sitemap|dropdown"),
    ("aside", r"side|widget|rail$|secondary|complementary"),
    ("footer", r"foot|copyright|legal|disclaim|colophon|contentinfo"),
    ("comments", r"comment|disqus|discuss|respond|reply|replies"),
    ("share", r"share|sharing|social|follow|facebook|twitter"),
    (
        "related",
        (
            r"^relat|^recomm|^more$|popular|trend|^latest|^also|^next|^prev|suggest|teaser|outbrain"
            r"|taboola|upsell|^most$|similar"
        ),
    ),
    ("advert", r"^ad[sv]?$|advert|promo|sponsor|banner|^cta$|affiliat"),
    ("author", r"author|byline|^bio$|profile|avatar|contrib|^user"),
    ("meta", r"meta|date|time|^tags?$|categor|kicker|topic|rating|publish"),
    (
        "dialog",
        (
            r"newsletter|subscri|sign|login|cookie|consent|gdpr|modal|popup|overlay|paywall|notice"
            r"|alert|toast|dialog"
        ),
    ),
    ("header", r"header|masthead|^top|logo|hero"),
    ("caption", r"caption|credit|photo|image|img|gallery|media|video|figure|slide|carousel"),
    ("product", r"product|price|^cart|shop|^buy|sku|review|spec|variant"),
    ("forum", r"thread|message|forum|question|answer|bbp|^post$|postbody|signature"),
    ("card", r"card|grid|item|tile|list|result|collection|feed|^row$|^col"),
    (
        "body",
        (
            r"articlebody|markdown|richtext|prose|maincontent|postcontent|entrycontent|posttext"
            r"|articletext|articlecontent"
        ),
    ),
    ("content", r"article|content|entry|post|body|main|text|story|page"),
    ("hidden", r"hidden|^sr$|visually|screen|collaps|^none$|noprint"),
    ("tabs", r"tab|accordion|faq|panel|toggle|expand"),
    ("filter", r"filter|facet|sort|search|form|select|option"),
    ("description", r"desc|summary|excerpt|abstract|intro|lead|detail|about|feature|overview|info"),
)
# Names in German, French, Spanish, Italian, Portuguese, Dutch, the Nordic languages, Polish,
# Russian, Turkish, Chinese and Japanese, in ASCII letters.
_TRANSLATED_NAMES: Final = {
    "navigation": r"brotkrume|blaetter",
    "aside": r"seitenleiste|marginalspalte",
    "footer": r"fusszeile|rodape|stopka|impressum",
    "comments": r"komment|comentar|komentar|^reacties?$|yorum|pinglun",
    "share": r"^teilen$|partage|comparti[rlt]|comparte|condivid|udostepn|fenxiang",
    "related": (
        r"relacionad|correlat[aeio]$|verwandt|empfehl|aehnlich|meistgelesen|gerelateerd|powiazan"
        r"|polecan|xiangguan|tuijian"
    ),
    "advert": r"werbung|anzeige|publicit|publicid|pubblicit|reklam|guanggao",
    "author": r"^autore?[ns]?$|^auteurs?$|zuozhe",
    "meta": r"datum|^fecha|^schlagw|kategori|^rubri[kq]|dachzeile",
    "body": r"brodte[kx]s?t|broedtekst|fliesstext|artikeltext|zhengwen|honbun",
    "content": (
        r"artik[ek]l|artykul|inhalt|beitrag|contenu|contenid|contenut|conteudo|noticia|notizi"
        r"|nachricht|^tresc|statya|neirong|wenzhang|^kiji"
    ),
    "description": r"vorspann|^chapo$|entradilla",
}
_BODY_BIT: Final = 1 << [name for name, _ in GROUPS].index("body")
_GROUP_PATTERNS: Final = tuple(
    re.compile(f"{pattern}|{_TRANSLATED_NAMES[name]}" if name in _TRANSLATED_NAMES else pattern)
    for name, pattern in GROUPS
)
# The patterns by the first three characters of their alternatives ("^" is a word's start). Most
# words contain none of these, and the others one or two.
_BY_START: Final[dict[str, dict[int, re.Pattern[str]]]] = defaultdict(dict)
for _place, _pattern in enumerate(_GROUP_PATTERNS):
    for _alternative in _pattern.pattern.split("|"):
        _BY_START[_alternative[:3]][1 << _place] = _pattern
_NAME_WORD_PATTERN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_BODY_STARTS: Final = frozenset({"article", "content", "entry", "main", "post", "rich", "story"})
_BODY_ENDS: Final = frozenset({"body", "content", "main", "text"})
_MAX_NAMES_CHARS: Final = 200
_NONE: Final[dict[int, re.Pattern[str]]] = {}


@lru_cache(maxsize=20_000)
def _word_groups(word: str) -> tuple[int, bool, bool]:
    """Return a word's groups, and whether it can begin or end the name of a body."""
    lowered = word.lower()
    anchored = f"^{lowered}"
    mask = 0
    for start in range(len(word) - 1):
        for bit, pattern in _BY_START.get(anchored[start : start + 3], _NONE).items():
            if pattern.search(lowered):
                mask |= bit
    return mask, lowered in _BODY_STARTS, lowered in _BODY_ENDS


@lru_cache(maxsize=20_000)
def name_mask(names: str) -> int:
    """Return the mask of the groups of the words in a class, id or role."""
    mask = 0
    is_body_begun = False
    for word in _NAME_WORD_PATTERN.findall(names[:_MAX_NAMES_CHARS]):
        groups, may_begin_body, may_end_body = _word_groups(word)
        mask |= groups | _BODY_BIT if is_body_begun and may_end_body else groups
        is_body_begun = may_begin_body
    return mask
