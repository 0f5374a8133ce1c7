"""Keep the lead of an article; drop controls and foreign text inside it.

Foreign text is a newsletter form, a share bar, a box about the author, a link to another article.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import accumulate, compress
from typing import Final

from .features.cues import ENDINGS, LABEL_EDGE_CHARS, READ_MORE
from .features.vocabulary import GROUPS
from .page_segments import HEADINGS, BlockBox, PageSegments, TextRun

# Headings, table rows, terms and code may contain the words of a control.
_MEANINGFUL_TAGS: Final = HEADINGS | {"dt", "pre", "td", "th", "tr"}
_MAX_CONTROL_WORDS: Final = 3
_CONTROLS: Final = READ_MORE | frozenset(
    line.strip()
    for line in """
advertisement, advertisements, sponsored, anzeige, werbung, publicité, publicidad, pubblicità,
publicidade, advertentie, annons, annonce, annonse, mainos, reklama, реклама, reklam, hirdetés,
publicitate, διαφήμιση, إعلان, iklan, quảng cáo, 広告, 广告, 廣告, 광고,
add to bag, add to basket, add to cart, buy now, compare, load more, loading, log in, print, see
all, share, shop now, sign in, sign up, subscribe, view all, alle anzeigen, anmelden, drucken, in
den warenkorb, teilen, ajouter au panier, imprimer, partager, s'abonner, se connecter, voir tout,
añadir al carrito, compartir, imprimir, iniciar sesión, ver todo, accedi, aggiungi al carrello,
condividi, stampa, vedi tutto, adicionar ao carrinho, compartilhar, partilhar, ver tudo, delen,
inloggen, dela, drukuj, udostępnij, zaloguj się, sdílet, поделиться, войти, paylaş, giriş yap
""".replace("\n", " ").split(",")
)  # fmt: skip


def drop_html_controls(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop runs that are a control or the label of an advertisement."""
    for index, run in enumerate(runs):
        if kept[index] and run.tag not in _MEANINGFUL_TAGS:
            kept[index] = not is_html_control_run(run)


def is_html_control_run(run: TextRun) -> bool:
    """Tell whether a run is only the text of a control or the label of an advertisement."""
    return (
        run.words <= _MAX_CONTROL_WORDS and run.text.casefold().strip(LABEL_EDGE_CHARS) in _CONTROLS
    )


# Lines that begin like this are foreign: in 900 judged articles, 0 to 6 % of such English lines of
# up to 40 words outside lists belong to the text.
_SITE_LINE_STARTS: Final = tuple(
    line.strip()
    for line in """
you are here, text size, font size, ads by google, follow me on, follow him on, follow her on, photo
credit, posted by, sie sind hier, vous êtes ici, você está aqui, continua após a publicidade,
continúa después de la publicidad, tutaj jesteś, продолжение после рекламы, 当前位置, 您的位置,
您所在的位置, 本文来源, subscribe to, subscribe now, sign up for, sign up to, sign up now, already a
subscriber, already have an account, follow us on, find us on, join us on, like us on, share this
article, share this story, share this post, share this:, continue reading the main, story continues,
article continues, photo:, photograph:, image:, credit:, getty images, your email address will not,
this site uses akismet, copyright ©, ©, tags:, tagged:, filed under, category:, get the latest,
never miss, stay up to date, about the author, written by, back to top, table of contents, powered
by, view comments, leave a comment, become a member, become a subscriber, this video can not, this
video cannot, to play this video, your browser does not, please enable javascript, skip past
newsletter, after newsletter, abonnieren sie, jetzt abonnieren, folgen sie uns, foto:, bild:,
inhaltsverzeichnis, abonnez-vous, inscrivez-vous, suivez-nous, article réservé, crédit photo,
suscríbete, síguenos, inscreva-se, iscriviti, abbonati, seguici, riproduzione riservata, abonneer
je, schrijf je in, volg ons, prenumerera på, zapisz się, fot., sledujte nás, подписывайтесь,
подпишитесь, фото:, abone ol, ακολουθήστε, تابعوا, اشترك, 责任编辑, 责编, 扫码, 扫描二维码,
版权声明, 免责声明, 点击进入专题, 转载请注明, 無断転載, 会員登録, 무단전재, 무단 전재, 저작권자
""".replace("\n", " ").split(",")
)  # fmt: skip
_MAX_SITE_LINE_WORDS: Final = 40
_LIST_TAGS: Final = frozenset({"dt", "li", "pre", "td", "th", "tr"})
LINE_START_CHARS: Final = (
    ' "\u201c\u201e\u00ab[(*>\u00bb\u2022\u25ba\u2192\U0001f449\u2013\u2014|-\u3010\uff08'
)


def is_html_site_line(run: TextRun) -> bool:
    """Tell whether a line is about the site, a picture's source or the author."""
    return (
        run.words <= _MAX_SITE_LINE_WORDS
        and run.tag not in _LIST_TAGS
        and run.text.lstrip(LINE_START_CHARS).casefold().startswith(_SITE_LINE_STARTS)
    )


_MOST_SHARE: Final = 0.5
_LEAD_NAME_PATTERN: Final = re.compile(
    r"intro|\blead|lede|summary|sub-?(?:title|head|line)|standfirst|\bdec?k|excerpt|abstract|chapo"
    r"|sapo|vorspann|entradilla|bajada|sommario|anons|ingress|manchet",
    re.IGNORECASE,
)
_MAX_LEAD_RUNS: Final = 4
_MIN_LEAD_WORDS: Final = 8
_MIN_TEXT_WORDS: Final = 15


def keep_article_lead(segments: PageSegments, kept: list[bool]) -> None:
    """Keep the sentence between the title and the text that the page calls a lead or the like."""
    runs = segments.runs
    first = next(
        (index for index, keep in enumerate(kept) if keep and runs[index].words >= _MIN_TEXT_WORDS),
        0,
    )
    titles = (index for index in range(first - 1, -1, -1) if runs[index].tag == "h1")
    title = next(titles, first)
    for index in range(title + 1, min(title + 1 + _MAX_LEAD_RUNS, first)):
        run = runs[index]
        if (
            run.words >= _MIN_LEAD_WORDS
            and run.linked < _MOST_SHARE * len(run.text)
            and _is_lead_box(segments.boxes, run.box)
        ):
            kept[index] = True


def _is_lead_box(boxes: list[BlockBox], number: int) -> bool:
    """Tell whether a box, or one around it with the same text, is named as a lead."""
    inner = boxes[number]
    while number >= 0 and boxes[number].last - boxes[number].first == inner.last - inner.first:
        if _LEAD_NAME_PATTERN.search(boxes[number].names.partition(" ")[2]):
            return True
        number = boxes[number].parent
    return False


# In 900 judged articles, 1 to 5 % of the words in boxes of at most 80 words with one of these
# names belong to the text.
_ASIDE_WORD_LIST: Final = (
    "addthis addtoany advertisement affiliate author authorbox bio breadcrumb comments cta "
    "figcaption jetpack linkwithin mailchimp newsletter optin outbrain pagination readmore "
    "recommended related relatedposts respond share shareaholic sharedaddy sharethis sharing "
    "signup subscribe subscription taboola tags yarpp zemanta"
)
_ASIDE_WORDS: Final = frozenset(_ASIDE_WORD_LIST.split())
_CONSENT_WORDS: Final = frozenset({"consent", "cookie", "cookiebot", "cookies", "gdpr", "onetrust"})
_ABOUT_WORDS: Final = frozenset({"about", "bio", "box", "card", "description", "info"})
_CAPTION_TAG: Final = "figcaption"
_MAX_ASIDE_WORDS: Final = 80
_MAX_NAMED_WORDS: Final = 250
_MAX_CERTAIN_WORDS: Final = 800
# A large share of the page is its text, whatever the name of the box.
_MAX_ASIDE_SHARE: Final = 0.2
_ASIDE_GROUPS: Final = ("advert", "author", "comments", "dialog", "navigation", "related", "share")
_FOREIGN_NAME_MASK: Final = sum(
    1 << bit for bit, (name, _) in enumerate(GROUPS) if name in _ASIDE_GROUPS
)
_NAME_WORD_PATTERN: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def drop_html_foreign_text(segments: PageSegments, kept: list[bool], *, is_sure: bool) -> None:
    """Drop foreign text inside an article where ``is_sure``, unless it is most of the text."""
    if not is_sure:
        return
    reduced = kept.copy()
    _drop_aside_boxes(segments, reduced)
    _drop_lead_lines(segments.runs, reduced)
    for index, run in enumerate(segments.runs):
        is_foreign = is_html_site_line(run) or _is_html_card_title(run)
        reduced[index] = reduced[index] and (run.tag in HEADINGS or not is_foreign)
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
        and words[box.last] - words[box.first] <= _max_html_aside_words(_html_box_name_words(box))
    ]
    words_by_names: Counter[str] = Counter()
    for box in asides:
        words_by_names[box.names] += sums[box.last] - sums[box.first]
    for box in asides:
        if words_by_names[box.names] <= _MAX_ASIDE_SHARE * sums[-1]:
            kept[box.first : box.last] = [False] * (box.last - box.first)


def _html_box_name_words(box: BlockBox) -> str:
    """Return the classes and id of a box; a heading's id is left out: it repeats its words."""
    if box.tag == _CAPTION_TAG:
        return _CAPTION_TAG
    element_id = "" if box.tag in HEADINGS else box.node.attr("id") or ""
    return f"{box.names.partition(' ')[2]} {element_id}"


@lru_cache(maxsize=2_000)
def _max_html_aside_words(names: str) -> int:
    """Return the largest word count at which a box with these names is foreign text."""
    words = {word.lower() for word in _NAME_WORD_PATTERN.findall(names)}
    if words & _CONSENT_WORDS:
        return _MAX_CERTAIN_WORDS
    if "author" in words and words & _ABOUT_WORDS:
        return _MAX_NAMED_WORDS
    return 0 if _ASIDE_WORDS.isdisjoint(words) else _MAX_ASIDE_WORDS


# Lines that begin like this lead to another article.
_LEAD_LINE_STARTS: Final = tuple(
    phrase.strip()
    for phrase in """
also read, read also, also see, see also, also watch, related story, related stories, related
article, related:, read next, read more:, more:, read:, watch:, further reading:, recommended:,
must read:, you may also like, you might also like, lesen sie auch, lesen sie hier, lesen sie dazu,
lesen sie mehr, lies auch, auch interessant, mehr zum thema, mehr dazu:, lire aussi, à lire, lire
également, lisez aussi, voir aussi, lee también, lea también, leer también, lee además, ver también,
te puede interesar, le puede interesar, más información:, leia também, leia mais, leia ainda, veja
também, saiba mais:, leggi anche, vedi anche, lees ook, lees meer:, läs också, läs även, läs mer:,
les også, læs også, lue myös, czytaj także, czytaj też, czytaj również, czytaj więcej:, zobacz
także, zobacz też, zobacz również, przeczytaj też, čtěte také, přečtěte si, čítajte aj, olvassa el,
citește și, citeşte şi, читайте также, читайте ещё, читайте еще, смотрите также, читайте також,
διαβάστε επίσης, διαβάστε ακόμ, διαβάστε και, δείτε επίσης, ilgili haber, اقرأ أيض,
إقرأ أيض, اقرأ المزيد, بیشتر بخوانید, همچنین بخوانید, קראו גם, यह भी पढ़, ये भी पढ़, baca juga,
xem thêm, 관련기사, 관련 기사, 関連記事, あわせて読みたい,
合わせて読みたい, 相关阅读, 延伸阅读, 延伸閱讀, 推荐阅读
""".replace("\n", " ").split(",")
)  # fmt: skip
_MAX_LEAD_WORDS: Final = 30
_MAX_LABEL_WORDS: Final = 4
_MAX_CARD_WORDS: Final = 20
_WHOLE_SHARE: Final = 0.9
_CARD_TAGS: Final = frozenset({"aside", "div", "section"})


def _drop_lead_lines(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop lines that lead elsewhere: "Also read" with a link, or a label before linked runs."""
    is_label = False
    for index, run in enumerate(runs):
        link_share = run.linked / len(run.text)
        # A dropped run may still be the label of the next one.
        is_lead = (kept[index] or any(kept[index + 1 : index + 2])) and _is_lead_line(run)
        if (is_lead and link_share >= _MOST_SHARE) or (is_label and link_share >= _WHOLE_SHARE):
            kept[index] = False
        else:
            is_link_next = any(
                after.linked >= _WHOLE_SHARE * len(after.text)
                for after in runs[index + 1 : index + 2]
            )
            is_label = is_lead and run.words <= _MAX_LABEL_WORDS and is_link_next
            kept[index] = kept[index] and not is_label


def _is_html_card_title(run: TextRun) -> bool:
    """Tell whether a run is a linked title of another article, not a paragraph or sentence."""
    return (
        run.tag in _CARD_TAGS
        and _MAX_LABEL_WORDS <= run.words <= _MAX_CARD_WORDS
        and run.linked >= _WHOLE_SHARE * len(run.text)
        and run.text[-1] not in ENDINGS
    )


def _is_lead_line(run: TextRun) -> bool:
    return run.words <= _MAX_LEAD_WORDS and run.text.lstrip(LINE_START_CHARS).casefold().startswith(
        _LEAD_LINE_STARTS
    )
