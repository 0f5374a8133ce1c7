"""Map words in class names, ids and roles to groups of purposes, as bit masks.

Sites in all languages mostly use English names.
"""

import re
from collections import defaultdict
from functools import lru_cache
from typing import Final

# The second line of a group has names in German, French, Spanish, Italian, Portuguese, Dutch, the
# Nordic languages, Polish, Russian, Turkish, Chinese and Japanese, in ASCII letters.
_GROUP_TABLE: Final = r"""
navigation nav(?!al)|menu|crumb|pagina|pager|toolbar|skip|sitemap|dropdown
navigation brotkrume|blaetter
aside side|widget|rail$|secondary|complementary
aside seitenleiste|marginalspalte
footer foot|copyright|legal|disclaim|colophon|contentinfo
footer fusszeile|rodape|stopka|impressum
comments comment|disqus|discuss|respond|reply|replies
comments komment|comentar|komentar|^reacties?$|yorum|pinglun
share share|sharing|social|follow|facebook|twitter
share ^teilen$|partage|comparti[rlt]|comparte|condivid|udostepn|fenxiang
related ^relat|^recomm|^more$|popular|trend|^latest|^also|^next|^prev|suggest|teaser|outbrain
related taboola|upsell|^most$|similar
related relacionad|correlat[aeio]$|verwandt|empfehl|aehnlich|meistgelesen|gerelateerd|powiazan
related polecan|xiangguan|tuijian
advert ^ad[sv]?$|advert|promo|sponsor|banner|^cta$|affiliat
advert werbung|anzeige|publicit|publicid|pubblicit|reklam|guanggao
author author|byline|^bio$|profile|avatar|contrib|^user
author ^autore?[ns]?$|^auteurs?$|zuozhe
meta meta|date|time|^tags?$|categor|kicker|topic|rating|publish
meta datum|^fecha|^schlagw|kategori|^rubri[kq]|dachzeile
dialog newsletter|subscri|sign|login|cookie|consent|gdpr|modal|popup|overlay|paywall|notice|alert
dialog toast|dialog
header header|masthead|^top|logo|hero
caption caption|credit|photo|image|img|gallery|media|video|figure|slide|carousel
product product|price|^cart|shop|^buy|sku|review|spec|variant
forum thread|message|forum|question|answer|bbp|^post$|postbody|signature
card card|grid|item|tile|list|result|collection|feed|^row$|^col
body articlebody|markdown|richtext|prose|maincontent|postcontent|entrycontent|posttext|articletext
body articlecontent
body brodte[kx]s?t|broedtekst|fliesstext|artikeltext|zhengwen|honbun
content article|content|entry|post|body|main|text|story|page
content artik[ek]l|artykul|inhalt|beitrag|contenu|contenid|contenut|conteudo|noticia|notizi
content nachricht|^tresc|statya|neirong|wenzhang|^kiji
hidden hidden|^sr$|visually|screen|collaps|^none$|noprint
tabs tab|accordion|faq|panel|toggle|expand
filter filter|facet|sort|search|form|select|option
description desc|summary|excerpt|abstract|intro|lead|detail|about|feature|overview|info
description vorspann|^chapo$|entradilla
"""
PATTERNS_BY_GROUP: Final[dict[str, str]] = {}
for _line in _GROUP_TABLE.split("\n")[1:-1]:
    _name, _, _written = _line.partition(" ")
    PATTERNS_BY_GROUP[_name] = f"{PATTERNS_BY_GROUP.get(_name, '')}|{_written}".lstrip("|")
GROUPS: Final = tuple(PATTERNS_BY_GROUP)
_BODY_BIT: Final = 1 << GROUPS.index("body")
# The patterns by the first three characters of their alternatives ("^" is a word's start). Most
# words contain none of these, and the others one or two.
_PATTERNS_BY_START: Final[dict[str, dict[int, re.Pattern[str]]]] = defaultdict(dict)
for _bit, _group in enumerate(GROUPS):
    for _alternative in PATTERNS_BY_GROUP[_group].split("|"):
        _PATTERNS_BY_START[_alternative[:3]][1 << _bit] = re.compile(PATTERNS_BY_GROUP[_group])
_NAME_WORD_PATTERN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_BODY_STARTS: Final = frozenset({"article", "content", "entry", "main", "post", "rich", "story"})
_BODY_ENDS: Final = frozenset({"body", "content", "main", "text"})
_MAX_NAMES_CHARS: Final = 200
_NO_PATTERNS: Final[dict[int, re.Pattern[str]]] = {}


@lru_cache(maxsize=20_000)
def _word_groups(word: str) -> tuple[int, bool, bool]:
    """Return a word's groups, and whether it can begin or end the name of a body."""
    lowered = word.lower()
    anchored = f"^{lowered}"
    mask = 0
    for start in range(len(word) - 1):
        for bit, pattern in _PATTERNS_BY_START.get(
            anchored[start : start + 3], _NO_PATTERNS
        ).items():
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
