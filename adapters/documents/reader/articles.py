"""What belongs to the body of an article and does not look it, and what stands in it and does not.

Code and quotations belong to it. A form for a newsletter, a bar to share it, a box about its author
and a line that leads to another article do not.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, compress, pairwise
from typing import Final

from .duplicate_text import HEADINGS
from .features.cues import ENDINGS
from .features.vocabulary import GROUPS
from .page_segments import BlockBox, PageSegments, TextRun

# Headings, rows, terms and code may well say the same and mean it.
_MEANT: Final = HEADINGS | {"dt", "pre", "td", "th", "tr"}
_MAX_CONTROL_WORDS: Final = 3
_EDGES: Final = " .…:|\u00bb\u203a\u2192>"
_ADVERTS: Final = frozenset(
    line.strip()
    for line in """
advertisement, advertisements, sponsored, anzeige, werbung, publicité, publicidad, pubblicità,
publicidade, advertentie, annons, annonce, annonse, mainos, reklama, реклама, reklam, hirdetés,
publicitate, διαφήμιση, إعلان, iklan, quảng cáo, 広告, 广告, 廣告, 광고
""".replace("\n", " ").split(",")
)  # fmt: skip
_LINES: Final = _ADVERTS | frozenset(
    line.strip()
    for line in """
add to bag, add to basket, add to cart, buy now, compare, continue reading, load more, loading,
log in, print, read more, see all, see more, share, shop now, show more, sign in, sign up,
subscribe, view all, view more, alle anzeigen, anmelden, drucken, in den warenkorb, mehr anzeigen,
mehr lesen, teilen, weiterlesen, ajouter au panier, imprimer, lire la suite, partager, s'abonner,
se connecter, voir plus, voir tout, añadir al carrito, compartir, imprimir, iniciar sesión, leer
más, seguir leyendo, ver más, ver todo, accedi, aggiungi al carrello, condividi, continua a
leggere, leggi tutto, stampa, vedi tutto, adicionar ao carrinho, compartilhar, continue lendo,
leia mais, partilhar, saiba mais, ver mais, ver tudo, delen, inloggen, lees meer, lees verder,
toon meer, dela, läs mer, læs mere, les mer, lue lisää, czytaj dalej, czytaj więcej, drukuj,
udostępnij, zaloguj się, číst dále, sdílet, více, читать далее, поделиться, войти, paylaş, giriş
yap, διαβάστε περισσότερα, 続きを読む, もっと見る, 阅读更多, 查看更多, 閱讀更多, 더보기
""".replace("\n", " ").split(",")
)  # fmt: skip
# What the tools beside an article do, and what else is written on them.
_DOING_WORDS: Final = (
    "autoplay bookmark captions comment comments e-mail email enlarge font mail mute pause "
    "permalink pin play print replay reprint reprints resize save share thumbnails tweet drucken "
    "kommentieren mailen merken teilen commenter envoyer imprimer partager comentar compartilhar "
    "compartir enviar imprimir partilhar condividi invia stampa delen printen dela drukuj podziel "
    "udostępnij wyślij poslat sdílet tisk kinyomtatom megosztás nyomtatás отправить печать "
    "поделиться paylaş"
)
_DOING: Final = frozenset(_DOING_WORDS.split())
_BESIDE_WORDS: Final = (
    "a article back facebook friend google hide link linkedin more on page pdf pinterest post "
    "reddit return show size story telegram text the this to top twitter via whatsapp x"
)
_BESIDE: Final = frozenset(_BESIDE_WORDS.split())
_TOOLBAR: Final = 12


def drop_controls(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop lines that are a control or the mark of an advertisement."""
    for place, run in enumerate(runs):
        if kept[place] and run.tag not in _MEANT:
            kept[place] = not is_control(run)


def is_control(run: TextRun) -> bool:
    """Tell whether a run says nothing but what a control or the mark of an advertisement does."""
    return run.words <= _MAX_CONTROL_WORDS and run.text.casefold().strip(_EDGES) in _LINES


def is_advert(run: TextRun) -> bool:
    """Tell the mark of an advertisement; a heading that says so is over what follows it."""
    plain = run.tag not in HEADINGS and run.words <= _MAX_CONTROL_WORDS
    return plain and run.text.casefold().strip(_EDGES) in _ADVERTS


def is_toolbar(run: TextRun) -> bool:
    """Tell a row of tools beside an article: "Print Email Font Resize", "Share this story"."""
    if run.words > _TOOLBAR or run.tag in HEADINGS or run.tag in _LISTED:
        return False
    words = [stripped for word in run.text.casefold().split() if (stripped := word.strip(_EDGES))]
    return not _DOING.isdisjoint(words) and all(word in _DOING or word in _BESIDE for word in words)


# What lines of an article begin with that are none of it: of 900 articles whose text was judged,
# those of up to 40 words in English, not in lists, are wanted in 0 to 6 %.
_SITE: Final = tuple(
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
_LISTED: Final = frozenset({"dt", "li", "pre", "td", "th", "tr"})
BEFORE: Final = (
    ' "\u201c\u201e\u00ab[(*>\u00bb\u2022\u25ba\u2192\U0001f449\u2013\u2014|-\u3010\uff08'
)


def speaks_of_site(run: TextRun) -> bool:
    """Tell whether a line of an article speaks of its site, its pictures or its author."""
    return (
        run.words <= _MAX_SITE_LINE_WORDS
        and run.tag not in _LISTED
        and run.text.lstrip(BEFORE).casefold().startswith(_SITE)
    )


# What belongs to the body of an article and does not look it, and what stands in it and does not.

# More than so many runs between kept ones are another part of the page.
_GAP: Final = 6
_MIN_QUOTED_CHANCE: Final = 0.1
_QUOTED: Final = frozenset({"blockquote", "pre"})
# A quotation that is a link leads to another page.
_MOSTLY: Final = 0.5


def keep_quoted(segments: PageSegments, chances: Sequence[float], kept: list[bool]) -> None:
    """Keep code and quotations between kept parts of an article, unless they are most unlikely."""
    places = [place for place, keep in enumerate(kept) if keep]
    for before, after in pairwise(places):
        if 1 < after - before <= _GAP + 1:
            for place in range(before + 1, after):
                kept[place] = chances[place] >= _MIN_QUOTED_CHANCE and _is_quoted(segments, place)


def _is_quoted(cut: PageSegments, place: int) -> bool:
    run = cut.runs[place]
    box = run.box if run.linked <= _MOSTLY * len(run.text) else -1
    while box >= 0 and cut.boxes[box].tag not in _QUOTED:
        box = cut.boxes[box].parent
    return box >= 0


def _strays(cut: PageSegments, place: int) -> bool:
    """Tell what stands in a box of its own, or is no heading, from a heading among its text."""
    run = cut.runs[place]
    above = cut.boxes[cut.boxes[run.box].parent]
    return run.tag not in HEADINGS or above.last - above.first == 1


# Of 900 articles whose text was judged, boxes of at most 80 words with one of these in their names
# have 1 to 5 % of their words in it.
_ASIDE_NAMES: Final = (
    "addthis addtoany advertisement affiliate author authorbox bio breadcrumb comments cta "
    "figcaption jetpack linkwithin mailchimp newsletter optin outbrain pagination readmore "
    "recommended related relatedposts respond share shareaholic sharedaddy sharethis sharing "
    "signup subscribe subscription taboola tags yarpp zemanta"
)
_ASIDE: Final = frozenset(_ASIDE_NAMES.split())
_CONSENT: Final = frozenset({"consent", "cookie", "cookiebot", "cookies", "gdpr", "onetrust"})
_ABOUT: Final = frozenset({"about", "bio", "box", "card", "description", "info"})
_CAPTION: Final = "figcaption"
_MAX_ASIDE_WORDS: Final = 80
_MAX_NAMED_WORDS: Final = 250
_MAX_CERTAIN_WORDS: Final = 800
# What is much of the page is its text, whatever it is called.
_MAX_ASIDE_SHARE: Final = 0.2
_MIN_REPEATED_BOXES: Final = 4
_GROUPS: Final = ("advert", "author", "comments", "dialog", "navigation", "related", "share")
_NAMED: Final = sum(1 << place for place, (name, _) in enumerate(GROUPS) if name in _GROUPS)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def drop_foreign_text(segments: PageSegments, kept: list[bool], *, is_sure: bool) -> None:
    """Drop what stands in an article and is none of it, on a page that surely is one.

    Unless it is most of what is kept.
    """
    if not is_sure:
        return
    others = kept.copy()
    _drop_asides(segments, others)
    _drop_leads(segments.runs, others)
    for place in range(len(segments.runs)):
        others[place] = others[place] and not _is_other(segments, place)
    words = [run.words for run in segments.runs]
    if sum(compress(words, others)) >= _MOSTLY * sum(compress(words, kept)):
        kept[:] = others


def _is_other(cut: PageSegments, place: int) -> bool:
    run = cut.runs[place]
    if run.tag in HEADINGS:
        return is_control(run) and _strays(cut, place)
    return speaks_of_site(run) or is_toolbar(run) or _is_card(run)


def _drop_asides(cut: PageSegments, kept: list[bool]) -> None:
    """Drop small boxes that are named after something else, but where all of them are much."""
    words = [0, *accumulate([run.words for run in cut.runs])]
    told = [0, *accumulate([run.words * keep for run, keep in zip(cut.runs, kept, strict=True)])]
    asides = [
        box
        for box in cut.boxes
        if (box.own & _NAMED or box.tag == _CAPTION)
        and told[box.last] > told[box.first]
        and words[box.last] - words[box.first] <= _most_words(_names(box))
    ]
    alike: Counter[str] = Counter()
    for box in asides:
        alike[box.names] += told[box.last] - told[box.first]
    times = Counter(box.names for box in asides)
    for box in asides:
        # Who said each of many things, and not who wrote them down.
        is_source = times[box.names] >= _MIN_REPEATED_BOXES and "author" in box.names.lower()
        if alike[box.names] <= _MAX_ASIDE_SHARE * told[-1] and not is_source:
            kept[box.first : box.last] = [False] * (box.last - box.first)


def _names(box: BlockBox) -> str:
    """Return what a box is called; the id of a heading is made of its words."""
    if box.tag == _CAPTION:
        return _CAPTION
    own = "" if box.tag in HEADINGS else box.node.attr("id") or ""
    return f"{box.names.partition(' ')[2]} {own}"


@lru_cache(maxsize=2_000)
def _most_words(names: str) -> int:
    """Return up to how many words a box of such a name is no part of an article."""
    words = {word.lower() for word in _WORD.findall(names)}
    if words & _CONSENT:
        return _MAX_CERTAIN_WORDS
    if "author" in words and words & _ABOUT:
        return _MAX_NAMED_WORDS
    return 0 if _ASIDE.isdisjoint(words) else _MAX_ASIDE_WORDS


# What a line begins with that leads to another article; in as many languages as pages have it.
_LEADS: Final = tuple(
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
_LINE: Final = 30
_LABEL: Final = 4
_MAX_CARD_WORDS: Final = 20
_WHOLLY: Final = 0.9
_FRAMES: Final = frozenset({"aside", "div", "section"})


def _drop_leads(runs: list[TextRun], kept: list[bool]) -> None:
    """Drop lines that lead elsewhere: "Also read" and a link, or with links right after it."""
    label = False
    for place, run in enumerate(runs):
        linked = run.linked / len(run.text)
        # What is left out already may still say what comes after it.
        leads = (kept[place] or any(kept[place + 1 : place + 2])) and _leads(run)
        if (leads and linked >= _MOSTLY) or (label and linked >= _WHOLLY):
            kept[place] = False
        else:
            label = leads and run.words <= _LABEL and _is_linked_next(runs, place)
            kept[place] = kept[place] and not label


def _is_card(run: TextRun) -> bool:
    """Tell the name of another article, which is all link: no paragraph, item or sentence."""
    return (
        run.tag in _FRAMES
        and _LABEL <= run.words <= _MAX_CARD_WORDS
        and run.linked >= _WHOLLY * len(run.text)
        and run.text[-1] not in ENDINGS
    )


def _leads(run: TextRun) -> bool:
    return run.words <= _LINE and run.text.lstrip(BEFORE).casefold().startswith(_LEADS)


def _is_linked_next(runs: list[TextRun], place: int) -> bool:
    following = runs[place + 1 : place + 2]
    return any(run.linked >= _WHOLLY * len(run.text) for run in following)
