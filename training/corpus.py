"""Read pages with ground truth: a folder laid out as WCXB is, and a file of news pages."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from turbohtml import Document, Element, parse

FOLDS = 5
LEAST_NEWS = 700
_NOT_BODY = "h1,figcaption,form,script,style,noscript,template"


@dataclass(frozen=True)
class Sample:
    """One page and what its content is; ``source`` is "wcxb", "news", or "harder" for a mixed one.

    ``name`` is that of the page it was made from.
    """

    name: str
    url: str
    kind: str
    wanted: str
    html: str
    fold: int
    source: str = "wcxb"


def samples(folder: Path) -> Iterator[Sample]:
    """Yield the pages of a folder by name."""
    for path in sorted((folder / "ground-truth").glob("*.json")):
        about = json.loads(path.read_text())
        kind = about["_internal"]["page_type"]["primary"]
        url = about.get("url") or ""
        page = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        yield Sample(
            name=path.stem,
            url=url,
            kind="collection" if kind == "category" else kind,
            wanted=about["ground_truth"].get("main_content") or "",
            html=page.decode("utf-8", "replace"),
            fold=fold_of(url),
        )


def news_samples(file: Path) -> Iterator[Sample]:
    """Yield the pages of a file of news: each line names the article by CSS selectors.

    Only the host of each page is known, so they have no address but what they say themselves.
    """
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            about = json.loads(line)
            wanted = _selected(about)
            if len(wanted) >= LEAST_NEWS:
                yield Sample(
                    name=about["name"],
                    url="",
                    kind="article",
                    wanted=wanted,
                    html=about["html"],
                    fold=fold_of(f"https://{about['domain']}/"),
                    source="news",
                )


def _selected(about: dict[str, Any]) -> str:
    document = parse(about["html"], positions=False)
    parts = _first_match(document, about["selectors"])
    others = [one for some in about["clean"] for one in ([some] if isinstance(some, str) else some)]
    for part in parts:
        part.remove(",".join([_NOT_BODY, *others]))
    return "\n".join(" ".join(part.strings) for part in parts)


def _first_match(document: Document, selectors: list[str | list[str]]) -> list[Element]:
    """Return what the first selector that matches names; a list of them means all together."""
    for selector in selectors:
        several = [selector] if isinstance(selector, str) else selector
        parts = [part for one in several for part in document.select(one)]
        if parts:
            return [part for part in parts if not any(part in other.descendants for other in parts)]
    return []


def fold_of(url: str) -> int:
    """Return the fold of a page; those of one site share it."""
    return zlib.crc32(site(url).encode()) % FOLDS


def site(url: str) -> str:
    """Return the registered name of a host, nearly: pages of one site never straddle folds.

    >>> site("https://forum.example.co.uk/x"), site("https://www.example.com/")
    ('example.co.uk', 'example.com')
    """
    labels = urlsplit(url).netloc.lower().split(":")[0].split(".")
    country_second = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if country_second else labels[-2:])
