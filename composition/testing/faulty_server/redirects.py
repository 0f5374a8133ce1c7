"""Redirects: endless ones, malformed ones, and ones that lead where nobody may go."""

from .conversation import Conversation
from .fault import Group, Play
from .pages import PAGE

REDIRECT = Group("redirect")
_UNTOUCHED = "canary_hits == 0"


@REDIRECT.fault("too_many_redirects")
async def redirect_self(talk: Conversation) -> None:
    """Redirect to itself."""
    await talk.redirect("/redirect_self")


@REDIRECT.fault("too_many_redirects")
async def redirect_pair(talk: Conversation) -> None:
    """Redirect between two pages, to and fro."""
    await talk.redirect("/redirect_pair" if "b" in talk.query else "/redirect_pair?b")


@REDIRECT.fault("too_many_redirects")
async def redirect_chain(talk: Conversation) -> None:
    """Redirect to a new URL every time."""
    await talk.redirect(f"/redirect_chain?n={int(talk.query.get('n', '0')) + 1}")


@REDIRECT.fault("bad_redirect")
async def redirect_no_location(talk: Conversation) -> None:
    """Redirect without a Location."""
    await talk.redirect(None)


@REDIRECT.fault("bad_redirect too_many_redirects")
async def redirect_empty(talk: Conversation) -> None:
    """Redirect to an empty Location."""
    await talk.redirect("")


@REDIRECT.fault("bad_redirect")
async def redirect_bad_url(talk: Conversation) -> None:
    """Redirect to what is no URL."""
    await talk.redirect("http://[:::]/")


@REDIRECT.fault("bad_redirect")
async def redirect_two_locations(talk: Conversation) -> None:
    """Redirect to two places at once."""
    await talk.redirect("/ok", extra=["Location: http://10.0.0.1/"])


@REDIRECT.fault("bad_redirect response_too_large")
async def redirect_long(talk: Conversation) -> None:
    """Redirect to a URL of 60 KB."""
    await talk.redirect("/ok?" + "a" * 60_000)


# {canary} is the canary's address and port, {port} its port alone.
_DENIED = {
    "redirect_canary": ("http://{canary}/secret", "another service on this machine, the canary"),
    "redirect_scheme_relative": ("//{canary}/secret", "//host, without a scheme"),
    "redirect_backslash": ("/\\{canary}/secret", "/\\host, which browsers read as //host"),
    "redirect_decimal": ("http://2130706433:{port}/secret", "the canary, written in decimal"),
    "redirect_short": ("http://127.1:{port}/secret", "the canary, written as 127.1"),
    "redirect_mapped": ("http://[::ffff:127.0.0.1]:{port}/secret", "the canary, in mapped IPv6"),
    "redirect_userinfo": ("http://example.com@{canary}/secret", "the canary, behind userinfo"),
    "redirect_name": ("http://localhost:{port}/secret", "localhost by name"),
    "redirect_rfc1918": ("http://10.0.0.1/", "a private address"),
    "redirect_metadata": (
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        "a cloud's metadata",
    ),
    "redirect_nat64": (
        "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/",
        "a cloud's metadata, through NAT64",
    ),
    "redirect_file": ("file:///etc/passwd", "file:"),
    "redirect_gopher": ("gopher://127.0.0.1:6379/_FLUSHALL", "gopher:"),
    "redirect_data": ("data:text/html,MARKER-OK", "data:"),
}


def _to(where: str) -> Play:
    async def play(talk: Conversation) -> None:
        port = talk.server.ports["canary"]
        await talk.redirect(where.format(canary=talk.server.canary, port=port))

    return play


for _name, (_where, _words) in _DENIED.items():
    REDIRECT.add(
        _name,
        "url_denied",
        f"Redirect to {_words}.",
        play=_to(_where),
        check=f"no connection is attempted to the target; {_UNTOUCHED}",
    )


@REDIRECT.fault("ok", check=_UNTOUCHED)
async def meta_refresh(talk: Conversation) -> None:
    """Refresh to the canary, in the page and in a header: shown, never followed."""
    where = f"0;url=http://{talk.server.canary}/secret"
    refresh = f'<meta http-equiv=refresh content="{where}"></head>'
    await talk.reply(body=PAGE.replace(b"</head>", refresh.encode()), extra=[f"Refresh: {where}"])


@REDIRECT.fault("ok", check=_UNTOUCHED)
async def subresources(talk: Conversation) -> None:
    """Point images, scripts, frames, styles and the base at the canary: nothing is loaded."""
    url = f"http://{talk.server.canary}"
    await talk.show(
        f'<base href="{url}/"><img src="{url}/i"><script src="{url}/s"></script>'
        f'<iframe src="{url}/f"></iframe><link rel=stylesheet href="{url}/c">'
    )


@REDIRECT.fault("ok", check="echoed request has no Cookie")
async def redirect_cookie(talk: Conversation) -> None:
    """Set a cookie and redirect to /_echo: the cookie must not come back."""
    await talk.redirect("/_echo", extra=["Set-Cookie: track=1; Path=/"])
