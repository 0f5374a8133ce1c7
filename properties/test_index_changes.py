"""The law of changes: an index after any order of changes answers as one that was made anew.

Every door is asked: the index itself, and a backend behind the cache that the default search uses.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from webseam.adapters.features.index.backend import IndexBackend
from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.features.index.backends import index_generation
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, canonical_url, web_search
from webseam.ports import WebSearchQuery

NAMES = st.sampled_from([f"https://{name}.example/{name}" for name in "abcdefgh"])
WORDS = ("heat", "pump", "winter", "river", "die", "häuser", "the", "e-mail", "東京", "kiwi")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
# Words that stand in passages of their own.
FAR = "Plain words of no interest. " * 90
LANGUAGES = st.sampled_from(["en", "en", "de"])
QUERIES = (
    "heat pump winter",
    "river",
    "kiwi -winter",
    "+heat +river",
    "die häuser",
    "email kiwi",
    "東京 heat",
    "the river",
    "pum*",
    "site:example",
)


class Changes(RuleBasedStateMachine):
    """Changes of one index, and what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self._path = Path(self._folder.name) / "index.sqlite"
        self._index = DocumentIndex.open_writer(self._path).unwrap()
        self._documents: dict[str, IndexDocument] = {}
        self._store = CacheStore(Path(self._folder.name) / "cache.sqlite")
        reader = IndexBackend(self._index, canonical_url)
        cached = with_cache(reader, self._store, generation=lambda: index_generation(self._path))
        self._deps = WebDeps(backend=cached)

    @rule(urls=st.lists(NAMES, min_size=1, max_size=4, unique=True), text=TEXTS, code=LANGUAGES)
    def add_or_edit(self, urls: list[str], text: str, code: str) -> None:
        documents = [IndexDocument(url=url, text=text, language=code) for url in urls]
        self._index.add(documents).unwrap()
        self._documents |= {document.url: document for document in documents}

    @rule(url=NAMES, first=TEXTS, last=TEXTS)
    def add_long(self, url: str, first: str, last: str) -> None:
        text = f"# One\n\n{first}\n\n{FAR}\n\n# Two\n\n{last}"
        document = IndexDocument(url=url, title=first, text=text, language="en")
        self._index.add([document]).unwrap()
        self._documents[url] = document

    @rule(urls=st.lists(NAMES, min_size=1, max_size=4, unique=True))
    def remove(self, urls: list[str]) -> None:
        removed = self._index.remove(urls).unwrap()
        assert removed == len([url for url in urls if self._documents.pop(url, None) is not None])

    @rule(old=NAMES, new=NAMES)
    def rename(self, old: str, new: str) -> None:
        document = self._documents.pop(old, None)
        if document is not None:
            renamed = IndexDocument(url=new, text=document.text, language=document.language)
            self._index.remove([old]).unwrap()
            self._index.add([renamed]).unwrap()
            self._documents[new] = renamed

    @rule()
    def tidy(self) -> None:
        self._index.tidy().unwrap()

    @rule()
    def open_again(self) -> None:
        reader = DocumentIndex.open_reader(self._path).unwrap()
        assert reader.check().unwrap() is None
        reader.close()

    @rule()
    def answers_are_those_of_a_fresh_index(self) -> None:
        with TemporaryDirectory() as folder:
            fresh = DocumentIndex.open_writer(Path(folder) / "index.sqlite").unwrap()
            fresh.add([self._documents[url] for url in sorted(self._documents)]).unwrap()
            for text in QUERIES:
                expected = fresh.search(WebSearchQuery(query=text, max_results=3)).unwrap()
                found = self._index.search(WebSearchQuery(query=text, max_results=3)).unwrap()
                assert found == expected, text
                if expected:
                    assert self._ask_cached(text) == [row["url"] for row in expected], text
            fresh.close()

    def _ask_cached(self, text: str) -> list[str]:
        query = WebSearchQuery(query=text, max_results=3)
        outcome = asyncio.run(web_search(query, self._deps)).unwrap()
        return [row.url for row in outcome.rows]

    def teardown(self) -> None:
        self.answers_are_those_of_a_fresh_index()
        self._index.close()
        self._store.close()
        with suppress(OSError):
            self._folder.cleanup()


TestChanges = Changes.TestCase
TestChanges.settings = settings(
    max_examples=12,
    stateful_step_count=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
