"""What a page says to be clicked, or says of an advertisement: a line that is nothing else."""

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
