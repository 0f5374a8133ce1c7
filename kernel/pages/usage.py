"""Judge what a page may be used for by the statements of its publisher.

Read 2026-11-18: draft-ietf-aipref-attach-05 (``Content-Usage``, a dictionary of RFC 9651),
contentsignals.org (``Content-Signal``), w3.org/community/tdmrep, Google's page on robots meta tags
and DeviantArt's on ``noai``. ``noimageai`` is about pictures and ``noarchive`` about cached copies,
so neither says anything here. Unknown names and values are ignored.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import urljoin

from webseam.ports.errors import CallRefused
from webseam.ports.pages import ReadPage
from webseam.ports.usage import (
    USAGE_HEADERS,
    PageUsage,
    UsageAnswer,
    UsagePurpose,
    UsageSource,
    UsageStatement,
)

from .robots_directives import parse_robots_directives

_ROBOT_NAME = "webseam"
_PURPOSES: Mapping[str, UsagePurpose] = {
    "search": "search", "train-ai": "train", "ai-train": "train", "ai-input": "input",
}  # fmt: skip
_DIRECTIVE_PURPOSES: Mapping[str, UsagePurpose] = {
    "noai": "train", "noindex": "search", "none": "search", "nosnippet": "input",
}  # fmt: skip
_ANSWERS: Mapping[str, Mapping[str, UsageAnswer]] = {
    "content-usage": {"y": "yes", "n": "no"},
    "content-signal": {"yes": "yes", "no": "no"},
    "tdm-reservation": {"0": "yes", "1": "no"},
}
_MAX_STATEMENT_CHARS, _MAX_SOURCES = 2000, 20
# A member of a dictionary of RFC 9651, section 3.2, with its parameters; values are bare items.
# Strings are blanked before.
_STRING_PATTERN = re.compile(r"(?<!\\)\"(?:[ !#-\[\]-~]|\\[\"\\])*+\"")
_KEY, _ITEM = (
    r"[a-z*][a-z0-9_.*-]*+",
    r"(?:\"\"|:[\w+/=]*+:|[?@]?-?[0-9.]++|[A-Za-z*][!#-+.-:A-~-]*+)",
)
_MEMBER_PATTERN = re.compile(
    rf"(?P<key>{_KEY})(?:=(?P<value>{_ITEM}))?+(?:;\x20*+{_KEY}(?:={_ITEM})?+)*+", re.ASCII
)
_LICENCE_PATTERN = re.compile(r"https?://[!-~]{1,2000}", re.IGNORECASE)
_LINK_PATTERN = re.compile(r"<([^<>]{1,2000}+)>([^<]{0,500}+)")
_REL_LICENCE_PATTERN = re.compile(
    r";\s*+rel\s*+=\s*+\"?(?:[\w-]++ )*+license[\s\";,]", re.IGNORECASE
)


def judge_page_usage(
    headers: Mapping[str, str],
    page: ReadPage,
    url: str,
    others: Sequence[UsageStatement] = (),
) -> PageUsage | None:
    """Return what the headers of the page at ``url``, the page and ``others`` say together."""
    named = (
        UsageStatement("header", name, headers[name]) for name in USAGE_HEADERS if name in headers
    )
    metas = (UsageStatement("page", "robots", directives) for directives in page.robots)
    return judge_usage((*named, *others, *page.statements, *metas), url)


def judge_usage(statements: Iterable[UsageStatement], url: str = "") -> PageUsage | None:
    """Return what all statements say together; None if none says anything about use.

    >>> usage = judge_usage([UsageStatement("header", "content-usage", "train-ai=n, search=y")])
    >>> usage and (usage.search, usage.train, usage.input)
    ('yes', 'no', 'unsaid')
    """
    given = [one._replace(value=one.value[:_MAX_STATEMENT_CHARS]) for one in statements]
    sources = tuple(dict.fromkeys(source for one in given for source in _statement_sources(one)))
    licence = next(filter(None, (_licence_url(one, url) for one in given)), None)
    if not sources and licence is None:
        return None
    return PageUsage(
        search=_joint_answer(sources, "search"),
        train=_joint_answer(sources, "train"),
        input=_joint_answer(sources, "input"),
        sources=sources[:_MAX_SOURCES],
        licence=licence,
    )


def usage_refusal(usage: PageUsage | None, purpose: UsagePurpose | None) -> CallRefused | None:
    """Return the refusal of a page whose publisher says no to ``purpose``."""
    if usage is None or purpose is None or getattr(usage, purpose) != "no":
        return None
    named = [one.source for one in usage.sources if (one.purpose, one.says) == (purpose, "no")]
    return CallRefused(by=f"--purpose {purpose}", reason=f"{', '.join(named)} says no")


def _joint_answer(sources: Sequence[UsageSource], purpose: UsagePurpose) -> UsageAnswer:
    answers = {source.says for source in sources if source.purpose == purpose}
    if "no" in answers:
        return "no"
    return "yes" if answers else "unsaid"


def _statement_sources(statement: UsageStatement) -> Iterator[UsageSource]:
    origin, name, value = statement
    pairs: Iterable[tuple[UsagePurpose | None, UsageAnswer | None]] = ()
    if name in ("robots", "x-robots-tag"):
        lines = parse_robots_directives(value.split("\n"))
        directives = (one.removeprefix(f"{_ROBOT_NAME}: ") for one in lines)
        pairs = ((_DIRECTIVE_PURPOSES.get(directive), "no") for directive in directives)
    elif name == "tdm-reservation":
        pairs = (("train", _ANSWERS[name].get(value.strip())),)
    elif name in _ANSWERS:
        answers = _ANSWERS[name]
        # Only aipref's is a dictionary of RFC 9651, whose keys have no capitals.
        members = parse_usage_dictionary(value.lower() if name == "content-signal" else value)
        pairs = ((_PURPOSES.get(key), answers.get(item)) for key, item in members)
    for purpose, says in pairs:
        if purpose is not None and says is not None:
            yield UsageSource(purpose=purpose, says=says, source=f"{origin} {name}")


def parse_usage_dictionary(value: str) -> list[tuple[str, str]]:
    """Return the members of a dictionary of RFC 9651; none if any part is invalid (section 4.2).

    A repeated key stays, although its last value counts there: two servers on the way may add a
    header each, and ``n`` wins.

    >>> parse_usage_dictionary("train-ai=n;x=1, search"), parse_usage_dictionary("train-ai=n,,")
    ([('train-ai', 'n'), ('search', '?1')], [])
    """
    members = _STRING_PATTERN.sub('""', value).split(",") if value.strip() else ()
    matches = [_MEMBER_PATTERN.fullmatch(member.strip(" \t")) for member in members]
    pairs = [(match["key"], match["value"] or "?1") for match in matches if match is not None]
    return pairs if len(pairs) == len(matches) else []


def _licence_url(statement: UsageStatement, url: str) -> str | None:
    name, value = statement.name, statement.value.strip()
    if name == "link":
        links = (link for link in _LINK_PATTERN.finditer(value))
        terms = next((link[1] for link in links if _REL_LICENCE_PATTERN.search(f"{link[2]},")), "")
        value = ""
        with suppress(ValueError):
            value = urljoin(url, terms) if terms else ""
    elif name not in ("license", "tdm-policy"):
        return None
    return value if _LICENCE_PATTERN.fullmatch(value) else None
