"""Keep the lead of an article; drop controls and foreign text inside it.

Foreign text is a newsletter form, a share bar, a box about the author, a link to another article.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import Final

from .measures.cues import LABEL_EDGE_CHARS, READ_MORE, split_phrases
from .measures.vocabulary import GROUPS
from .page_segments import HEADINGS, BlockBox, PageSegments, TextRun

# Headings, table rows, terms and code may contain the words of a control.
_MEANINGFUL_TAGS: Final = HEADINGS | {"dt", "pre", "td", "th", "tr"}
_MAX_CONTROL_WORDS: Final = 3
_CONTROL_LABELS: Final = READ_MORE.union(
    split_phrases("""
accedi|add to bag|add to basket|add to cart|adicionar ao carrinho|advertentie|advertisement
advertisements|aggiungi al carrello|ajouter au panier|alle anzeigen|anmelden|annonce|annons|annonse
anzeige|añadir al carrito|buy now|compare|compartilhar|compartir|condividi|dela|delen|drucken|drukuj
giriş yap|hirdetés|iklan|imprimer|imprimir|in den warenkorb|iniciar sesión|inloggen|load more
loading|log in|mainos|partager|partilhar|paylaş|print|pubblicità|publicidad|publicidade|publicitate
publicité|quảng cáo|reklam|reklama|s'abonner|sdílet|se connecter|see all|share|shop now|sign in
sign up|sponsored|stampa|subscribe|teilen|udostępnij|vedi tutto|ver todo|ver tudo|view all|voir tout
werbung|zaloguj się|διαφήμιση|войти|поделиться|реклама|إعلان|广告|広告|廣告|광고
""")
)


def drop_controls(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop runs that are only the text of a control or the label of an advertisement."""
    for index, run in enumerate(runs):
        if kept[index] and run.words <= _MAX_CONTROL_WORDS and run.tag not in _MEANINGFUL_TAGS:
            kept[index] = run.text.casefold().strip(LABEL_EDGE_CHARS) not in _CONTROL_LABELS


# Lines that begin like this are foreign: in 900 judged articles, 0 to 6 % of such English lines of
# up to 40 words outside lists belong to the text.
_SITE_LINE_STARTS: Final = split_phrases("""
abbonati|abone ol|abonneer je|abonnez-vous|abonnieren sie|about the author|ads by google
after newsletter|already a subscriber|already have an account|article continues|article réservé
back to top|become a member|become a subscriber|bild:|category:|continua após a publicidade
continue reading the main|continúa después de la publicidad|copyright ©|credit:|crédit photo
filed under|find us on|folgen sie uns|follow her on|follow him on|follow me on|follow us on
font size|fot.|foto:|get the latest|getty images|image:|inhaltsverzeichnis|inscreva-se
inscrivez-vous|iscriviti|jetzt abonnieren|join us on|leave a comment|like us on|never miss
photo credit|photo:|photograph:|please enable javascript|posted by|powered by|prenumerera på
riproduzione riservata|schrijf je in|seguici|share this article|share this post|share this story
share this:|sie sind hier|sign up for|sign up now|sign up to|skip past newsletter|sledujte nás
stay up to date|story continues|subscribe now|subscribe to|suivez-nous|suscríbete|síguenos
table of contents|tagged:|tags:|text size|this site uses akismet|this video can not
this video cannot|to play this video|tutaj jesteś|view comments|você está aqui|volg ons
vous êtes ici|written by|you are here|your browser does not|your email address will not|zapisz się|©
ακολουθήστε|подписывайтесь|подпишитесь|продолжение после рекламы|фото:|اشترك|تابعوا|会員登録
免责声明|当前位置|您所在的位置|您的位置|扫描二维码|扫码|本文来源|点击进入专题|無断転載|版权声明
责任编辑|责编|转载请注明|무단 전재|무단전재|저작권자
""")
_MAX_SITE_LINE_WORDS: Final = 40
_ITEM_TAGS: Final = frozenset({"dt", "li", "pre", "td", "th", "tr"})
LINE_START_CHARS: Final = (
    ' "\u201c\u201e\u00ab[(*>\u00bb\u2022\u25ba\u2192\U0001f449\u2013\u2014|-\u3010\uff08'
)


def is_site_line(run: TextRun) -> bool:
    """Tell whether a line is about the site, a picture's source or the author."""
    return (
        run.words <= _MAX_SITE_LINE_WORDS
        and run.tag not in _ITEM_TAGS
        and run.text.lstrip(LINE_START_CHARS).casefold().startswith(_SITE_LINE_STARTS)
    )


_MOST_SHARE: Final = 0.5
_LEAD_NAME_PATTERN: Final = re.compile(
    r"intro|\blead|lede|summary|sub-?(?:title|head|line)|standfirst|\bdec?k|excerpt|abstract|chapo"
    r"|sapo|vorspann|entradilla|bajada|sommario|anons|ingress|manchet",
    re.IGNORECASE,
)
_MAX_LEAD_RUNS: Final = 4
_MAX_RUNS_BEFORE_TEXT: Final = 12
_MIN_LEAD_WORDS: Final = 8
_MIN_TEXT_WORDS: Final = 15


def keep_lead(segments: PageSegments, likely: Sequence[bool], kept: list[bool]) -> None:
    """Keep the sentences between the title and the text that are likely or named a lead.

    ``likely`` tells which runs were content before the article was narrowed to its box.
    """
    runs = segments.runs
    first = next(
        (index for index, keep in enumerate(kept) if keep and runs[index].words >= _MIN_TEXT_WORDS),
        0,
    )
    titles = (index for index in range(first - 1, -1, -1) if runs[index].tag == "h1")
    title = next(titles, first)
    for index in range(title + 1, min(title + 1 + _MAX_RUNS_BEFORE_TEXT, first)):
        run = runs[index]
        is_sentence = run.words >= _MIN_LEAD_WORDS and run.linked < _MOST_SHARE * len(run.text)
        is_near = index <= title + _MAX_LEAD_RUNS
        is_named = is_near and _is_lead_box(segments.boxes, run.box)
        if is_sentence and (likely[index] or is_named):
            kept[index] = True


def _is_lead_box(boxes: list[BlockBox], number: int) -> bool:
    """Tell whether a box, or one around it with the same text, is named as a lead."""
    inner = boxes[number]
    while number >= 0 and boxes[number].last - boxes[number].first == inner.last - inner.first:
        if _LEAD_NAME_PATTERN.search(boxes[number].names.partition(" ")[2]):
            return True
        number = boxes[number].parent
    return False


def drop_next_articles(segments: PageSegments, kept: list[bool]) -> None:
    """Drop the articles after the page's own one, each a part that a heading begins.

    The heading is an ``h1`` in the same place as the page's own, or links elsewhere and begins
    another ``article``.
    """
    runs, boxes = segments.runs, segments.boxes
    longs = [0, *accumulate(run.words >= _MIN_TEXT_WORDS for run in runs)]
    heads = [index for index, run in enumerate(runs) if run.tag in HEADINGS]
    plain = {index for index in heads if runs[index].linked < _WHOLE_SHARE * len(runs[index].text)}
    own = next((index for index in heads if index in plain and runs[index].tag == "h1"), len(runs))
    likes = next((set(make) for make in segments.makes if own in make), set[int]())
    ends = (box.last for box in boxes if box.tag == "article" and box.first <= own < box.last)
    end = min(ends, default=len(runs))
    done = own + 1
    for index in heads[bisect_left(heads, done) :]:
        part = boxes[runs[index].box]
        while part.tag != "article" and boxes[part.parent].first > own:
            part = boxes[part.parent]
        is_other = part.tag == "article" and part.first >= end
        is_next = index in likes if index in plain else is_other
        is_start = longs[part.first] == longs[index] < longs[part.last]
        if is_next and is_start and index >= done:
            kept[part.first : part.last] = [False] * (part.last - part.first)
            done = part.last


# In 900 judged articles, 1 to 5 % of the words in boxes of at most 80 words with one of these
# names belong to the text.
_ASIDE_WORD_LIST: Final = (
    "addthis addtoany advertisement affiliate author authorbox bio breadcrumb comments consent "
    "cookie cookies cta jetpack linkwithin mailchimp newsletter optin outbrain "
    "pagination readmore recommended related relatedposts respond share shareaholic sharedaddy "
    "sharethis sharing signup subscribe subscription taboola tags yarpp zemanta"
)
_ASIDE_WORDS: Final = frozenset(_ASIDE_WORD_LIST.split())
_CAPTION_TAG: Final = "figcaption"
_MAX_ASIDE_WORDS: Final = 80
# A large share of the page is its text, whatever the name of the box.
_MAX_ASIDE_SHARE: Final = 0.2
_ASIDE_GROUPS: Final = ("advert", "author", "comments", "dialog", "navigation", "related", "share")
_FOREIGN_NAME_MASK: Final = sum(
    1 << bit for bit, name in enumerate(GROUPS) if name in _ASIDE_GROUPS
)
_NAME_WORD_PATTERN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def drop_foreign_text(segments: PageSegments, kept: list[bool], *, is_sure: bool) -> None:
    """Drop foreign text inside an article where ``is_sure``, unless it is most of the text."""
    if not is_sure:
        return
    reduced = kept.copy()
    _drop_aside_boxes(segments, reduced)
    _drop_also_read_lines(segments.runs, reduced)
    for index, run in enumerate(segments.runs):
        reduced[index] = reduced[index] and (run.tag in HEADINGS or not is_site_line(run))
    words = [run.words for run in segments.runs]
    if sum(compress(words, reduced)) >= _MOST_SHARE * sum(compress(words, kept)):
        kept[:] = reduced


def _drop_aside_boxes(segments: PageSegments, kept: list[bool]) -> None:
    """Drop small boxes with foreign names, unless all boxes of one name hold much text."""
    words = [0, *accumulate([run.words for run in segments.runs])]
    sums = [
        0,
        *accumulate([run.words * keep for run, keep in zip(segments.runs, kept, strict=True)]),
    ]
    asides = [
        box
        for box in segments.boxes
        if (box.own & _FOREIGN_NAME_MASK or box.tag == _CAPTION_TAG)
        and sums[box.last] > sums[box.first]
        and words[box.last] - words[box.first] <= _MAX_ASIDE_WORDS
        and _is_aside(box)
    ]
    words_by_names: Counter[str] = Counter()
    for box in asides:
        words_by_names[box.names] += sums[box.last] - sums[box.first]
    for box in asides:
        if words_by_names[box.names] <= _MAX_ASIDE_SHARE * sums[-1]:
            kept[box.first : box.last] = [False] * (box.last - box.first)


def _is_aside(box: BlockBox) -> bool:
    """Tell by classes and id; a heading's id is left out: it repeats its words."""
    element_id = "" if box.tag in HEADINGS else box.node.attr("id") or ""
    names = _NAME_WORD_PATTERN.findall(f"{box.names.partition(' ')[2]} {element_id}")
    return box.tag == _CAPTION_TAG or not _ASIDE_WORDS.isdisjoint(map(str.lower, names))


# Lines that begin like this lead to another article.
_ALSO_READ_STARTS: Final = split_phrases("""
also read|also see|also watch|auch interessant|baca juga|citeşte şi|citește și|czytaj również
czytaj także|czytaj też|czytaj więcej:|further reading:|ilgili haber|le puede interesar|lea también
lee además|lee también|leer también|lees meer:|lees ook|leggi anche|leia ainda|leia mais|leia também
les også|lesen sie auch|lesen sie dazu|lesen sie hier|lesen sie mehr|lies auch|lire aussi
lire également|lisez aussi|lue myös|läs mer:|läs också|läs även|læs også|mehr dazu:|mehr zum thema
more:|must read:|más información:|olvassa el|przeczytaj też|přečtěte si|read also|read more:
read next|read:|recommended:|related article|related stories|related story|related:|saiba mais:
see also|te puede interesar|vedi anche|veja também|ver también|voir aussi|watch:|xem thêm
you may also like|you might also like|zobacz również|zobacz także|zobacz też|à lire|čtěte také
čítajte aj|δείτε επίσης|διαβάστε ακόμ|διαβάστε επίσης|διαβάστε και|смотрите также|читайте еще
читайте ещё|читайте также|читайте також|קראו גם|إقرأ أيض|اقرأ أيض|اقرأ المزيد|بیشتر بخوانید
همچنین بخوانید|यह भी पढ़|ये भी पढ़|あわせて読みたい|合わせて読みたい|延伸閱讀|延伸阅读|推荐阅读
相关阅读|関連記事|관련 기사|관련기사
""")
_MAX_ALSO_READ_WORDS: Final = 30
_MAX_LABEL_WORDS: Final = 4
_WHOLE_SHARE: Final = 0.9


def _drop_also_read_lines(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop lines that lead elsewhere: "Also read" with a link, or a label before linked runs."""
    is_label = False
    for index, run in enumerate(runs):
        link_share = run.linked / len(run.text)
        # A dropped run may still be the label of the next one.
        is_lead = (kept[index] or any(kept[index + 1 : index + 2])) and _is_also_read_line(run)
        if (is_lead and link_share >= _MOST_SHARE) or (is_label and link_share >= _WHOLE_SHARE):
            kept[index] = False
        else:
            is_link_next = any(
                after.linked >= _WHOLE_SHARE * len(after.text)
                for after in runs[index + 1 : index + 2]
            )
            is_label = is_lead and run.words <= _MAX_LABEL_WORDS and is_link_next
            kept[index] = kept[index] and not is_label


def _is_also_read_line(run: TextRun) -> bool:
    return run.words <= _MAX_ALSO_READ_WORDS and run.text.lstrip(
        LINE_START_CHARS
    ).casefold().startswith(_ALSO_READ_STARTS)
