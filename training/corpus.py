"""Read a folder of pages with ground truth, laid out as WCXB is."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

FOLDS = 5


@dataclass(frozen=True)
class Sample:
    """One page and what its content is."""

    name: str
    url: str
    kind: str
    wanted: str
    html: str
    fold: int


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
            fold=zlib.crc32(site(url).encode()) % FOLDS,
        )


def site(url: str) -> str:
    """Return the registered name of a host, nearly: pages of one site never straddle folds.

    >>> site("https://forum.example.co.uk/x"), site("https://www.example.com/")
    ('example.co.uk', 'example.com')
    """
    labels = urlsplit(url).netloc.lower().split(":")[0].split(".")
    country_second = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3:] if country_second else labels[-2:])
