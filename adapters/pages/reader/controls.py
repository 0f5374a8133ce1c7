"""Lines that are nothing but a control, the mark of an advertisement, or a word about the site."""

from typing import Final

from .blocks import Run
from .copies import HEADINGS

# Headings, rows, terms and code may well say the same and mean it.
_MEANT: Final = HEADINGS | {"dt", "pre", "td", "th", "tr"}
_MOST_WORDS: Final = 3
_EDGES: Final = " .…:|\u00bb\u203a\u2192>"
_LINES: Final = frozenset(
    line.strip()
    for line in """
add to bag, add to basket, add to cart, advertisement, advertisements, buy now, compare, continue
reading, load more, loading, log in, print, read more, see all, see more, share, shop now, show
more, sign in, sign up, sponsored, subscribe, view all, view more, alle anzeigen, anmelden,
anzeige, drucken, in den warenkorb, mehr anzeigen, mehr lesen, teilen, weiterlesen, werbung,
ajouter au panier, imprimer, lire la suite, partager, publicité, s'abonner, se connecter, voir
plus, voir tout, añadir al carrito, compartir, imprimir, iniciar sesión, leer más, publicidad,
seguir leyendo, ver más, ver todo, accedi, aggiungi al carrello, condividi, continua a leggere,
leggi tutto, pubblicità, stampa, vedi tutto, adicionar ao carrinho, compartilhar, continue lendo,
leia mais, partilhar, publicidade, saiba mais, ver mais, ver tudo, advertentie, delen, inloggen,
lees meer, lees verder, toon meer, annons, dela, läs mer, annonce, læs mere, les mer, mainos, lue
lisää, czytaj dalej, czytaj więcej, drukuj, reklama, udostępnij, zaloguj się, číst dále, sdílet,
více, читать далее, поделиться, реклама, войти, paylaş, reklam, giriş yap, διαβάστε περισσότερα,
広告, 続きを読む, もっと見る, 广告, 阅读更多, 查看更多, 廣告, 閱讀更多, 광고, 더보기
""".replace("\n", " ").split(",")
)  # fmt: skip


def drop_controls(runs: list[Run], chosen: list[bool]) -> None:
    """Drop lines that are a control or the mark of an advertisement."""
    for place, run in enumerate(runs):
        if chosen[place] and run.tag not in _MEANT:
            chosen[place] = not is_control(run)


def is_control(run: Run) -> bool:
    """Tell whether a run says nothing but what a control or the mark of an advertisement does."""
    return run.words <= _MOST_WORDS and run.text.casefold().strip(_EDGES) in _LINES


# What lines of an article begin with that are none of it: of 900 articles whose text was judged,
# those of up to 40 words in English, not in lists, are wanted in 0 to 6 %.
_SITE: Final = tuple(
    line.strip()
    for line in """
subscribe to, subscribe now, sign up for, sign up to, sign up now, already a subscriber, already
have an account, follow us on, find us on, join us on, like us on, share this article, share this
story, share this post, share this:, continue reading the main, story continues, article continues,
photo:, photograph:, image:, credit:, getty images, your email address will not, this site uses
akismet, copyright ©, ©, tags:, tagged:, filed under, category:, get the latest, never miss, stay up
to date, about the author, written by, back to top, table of contents, powered by, view comments,
leave a comment, become a member, become a subscriber, this video can not, this video cannot, to
play this video, your browser does not, please enable javascript, skip past newsletter, after
newsletter, abonnieren sie, jetzt abonnieren, folgen sie uns, foto:, bild:, inhaltsverzeichnis,
abonnez-vous, inscrivez-vous, suivez-nous, article réservé, crédit photo, suscríbete, síguenos,
inscreva-se, iscriviti, abbonati, seguici, riproduzione riservata,
abonneer je, schrijf je in, volg ons, prenumerera på, zapisz się, fot., sledujte nás,
подписывайтесь, подпишитесь, фото:, abone ol, ακολουθήστε, تابعوا, اشترك, 责任编辑, 责编, 扫码,
扫描二维码, 版权声明, 免责声明, 点击进入专题, 转载请注明, 無断転載, 会員登録, 무단전재,
무단 전재, 저작권자
""".replace("\n", " ").split(",")
)  # fmt: skip
_MOST: Final = 40
_LISTED: Final = frozenset({"dt", "li", "pre", "td", "th", "tr"})
BEFORE: Final = (
    ' "\u201c\u201e\u00ab[(*>\u00bb\u2022\u25ba\u2192\U0001f449\u2013\u2014|-\u3010\uff08'
)


def speaks_of_site(run: Run) -> bool:
    """Tell whether a line of an article speaks of its site, its pictures or its author."""
    return (
        run.words <= _MOST
        and run.tag not in _LISTED
        and run.text.lstrip(BEFORE).casefold().startswith(_SITE)
    )
