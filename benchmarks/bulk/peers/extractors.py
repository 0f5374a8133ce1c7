"""One extractor on one core: ``python -m benchmarks.bulk.peers.extractors NAME WARCS``.

Prints pages, those with text, and seconds of processor time; reading the files does not count.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Extract = Callable[[bytes, str], str]


def webseam() -> Extract:
    from webseam.adapters.features.documents.conversion import convert

    def extract(body: bytes, url: str) -> str:
        page = convert(body, "text/html", url).value_or(None)
        return page.content if page else ""

    return extract


def resiliparse() -> Extract:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def extract(body: bytes, _url: str) -> str:
        text = bytes_to_str(body, detect_encoding(body))
        return str(extract_plain_text(text, main_content=True))

    return extract


def trafilatura_text() -> Extract:
    import trafilatura

    return lambda body, url: trafilatura.extract(body, url=url) or ""


def trafilatura_markdown() -> Extract:
    import trafilatura

    def extract(body: bytes, url: str) -> str:
        return (
            trafilatura.extract(
                body, url=url, output_format="markdown", include_links=True, with_metadata=True
            )
            or ""
        )

    return extract


EXTRACTORS: dict[str, Callable[[], Extract]] = {
    "webseam (markdown, metadata)": webseam,
    "resiliparse (text)": resiliparse,
    "trafilatura (text)": trafilatura_text,
    "trafilatura (markdown, metadata)": trafilatura_markdown,
}


def pages(warcs: Path) -> Iterator[tuple[bytes, str]]:
    from webseam.adapters.features.bulk.datasets.warc import read_warc_inputs

    for path in sorted(warcs.glob("*.warc.gz")):
        for item in read_warc_inputs(path, 0, path.name):
            yield item.body, item.url or ""


def measure(name: str, warcs: Path) -> tuple[int, int, float]:
    extract = EXTRACTORS[name]()
    count = full = 0
    seconds = 0.0
    for body, url in pages(warcs):
        began = time.process_time()
        try:
            text = extract(body, url)
        except Exception:
            text = ""
        seconds += time.process_time() - began
        count, full = count + 1, full + bool(text)
    return count, full, seconds


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]))))
