"""Lines that are nothing but a control, the mark of an advertisement, or a word about the site."""

from typing import Final

from .duplicate_text import HEADINGS
from .page_segments import TextRun

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
