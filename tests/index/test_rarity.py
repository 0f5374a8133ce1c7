"""How rare a term is."""

from contextlib import closing
from pathlib import Path

from webseam.adapters.index.documents import IndexDocument
from webseam.adapters.index.query import plan
from webseam.adapters.index.ranking.candidates import weigh
from webseam.adapters.index.ranking.sought import Sought
from webseam.adapters.index.schema import INDEX
from webseam.adapters.index.words.shelf import Shelf
from webseam.adapters.stores.sqlite.opening import open_for_reading

from .shelf import PUMP, shelf


def _weighed(folder: Path, query: str) -> Sought:
    path = folder / "index.sqlite"
    with closing(open_for_reading(path, INDEX).unwrap()) as connection:
        words = Shelf(path, is_reader=True).words(connection)
        assert words is not None
        return weigh(connection, words, plan(query))


def test_a_term_is_counted(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()

    [heat, zebra, beginning] = _weighed(tmp_path, "heat zebra pum*").terms

    assert (heat.count, zebra.count, beginning.count) == (1, 0, 1)
    assert heat.rarity < zebra.rarity


def test_a_term_that_the_query_has_twice_counts_twice(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()

    [heat, pump] = _weighed(tmp_path, "heat pump heat").terms

    assert (heat.times, pump.times) == (2, 1)
    assert heat.rarity == 2 * pump.rarity


def test_the_usual_length_is_that_of_the_passages(tmp_path: Path) -> None:
    shelf(tmp_path, IndexDocument(url="https://a.example/", text="one two three")).close()

    assert _weighed(tmp_path, "one").usual == 3.0
