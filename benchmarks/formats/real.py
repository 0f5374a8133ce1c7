"""Real files of a folder, whose true text nobody knows: what each reader has of all that any has.

Words are of letters, since numbers are written in more than one way, and labels that a reader adds
by itself (NaN, Unnamed, Slide, Page, hidden, Title) do not count. A file that none has any words of
is left out. Each reader leaves out what it means to: we leave out the names of pictures, and a
footer is there once.
"""

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path
from statistics import mean

ENDINGS = (
    "csv", "docx", "epub", "html", "ipynb", "json", "md", "msg", "pdf", "pptx", "tsv", "txt", "xls", "xlsx", "xml",
)  # fmt: skip
LARGEST = 8_000_000
WORD = re.compile(r"[^\W\d_]{2,}")
REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
# What a block of code is written in: some readers say "python" of all.
LANGUAGE = re.compile(r"^(?:`{3,}|~{3,})\w++", re.MULTILINE)
# Where a link points to, with the words that some readers put behind it.
TARGET = re.compile(r'\]\([^)\s]*(?:\s+"[^"\n]*")?\)|\bdata:\S+')
# What a reader writes for a letter of a PDF that it cannot tell.
UNTOLD = re.compile(r"\(cid:\d+\)")
OWN_WORDS = (
    "attachments author authors category chart content date description email empty from hidden"
    " identifier image language message nan nat notes page picture sheet slide subject title to unnamed unsupported"
)
OWN = frozenset(OWN_WORDS.split())


def found(folder: Path, most: int) -> list[Path]:
    """Return at most so many different files of each ending, in the order of their digests."""
    files: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in sorted(folder.rglob("*")):
        ending = path.suffix.lower()[1:]
        if ending in ENDINGS and path.is_file() and path.stat().st_size <= LARGEST:
            files[ending].setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return [path for ending in ENDINGS for _, path in islice(sorted(files[ending].items()), most)]


def bag(text: str) -> Counter[str]:
    # pandas writes breaks in cells as "\\n"; we leave out hyphens that are only seen at a break.
    plain = (
        TARGET.sub("]", LANGUAGE.sub("", REMARK.sub("", UNTOLD.sub(" ", text))))
        .replace("\\n", " ")
        .replace("\u00ad", "")
    )
    # Letters that are set as one (ﬁ), and Arabic ones by their place in a word, are those they are.
    said = Counter(WORD.findall(unicodedata.normalize("NFKC", plain).lower()))
    return Counter({word: count for word, count in said.items() if word not in OWN})


def report(readers: dict[str, dict[str, tuple[float, str]]]) -> None:
    print("| format | files | reader | words of all | ms a file |\n| --- | --- | --- | --- | --- |")
    shares: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for path in next(iter(readers.values())):
        bags = {reader: bag(read[path][1]) for reader, read in readers.items()}
        every: Counter[str] = Counter()
        for said in bags.values():
            every |= said
        for reader, said in bags.items() if every else ():
            spent = readers[reader][path][0] * 1000
            shares[Path(path).suffix.lower()[1:], reader].append(
                (said.total() / every.total(), spent)
            )
    for (ending, reader), some in sorted(shares.items()):
        share, spent = (mean(each) for each in zip(*some, strict=True))
        print(f"| {ending} | {len(some)} | {reader} | {share:.1%} | {spent:.1f} |")
