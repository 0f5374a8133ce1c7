"""How rare a term is."""

from pathlib import Path

from webseam.adapters.index.documents import IndexDocument
from webseam.adapters.index.query import plan
from webseam.adapters.index.ranking import Sought, weigh
from webseam.adapters.index.schema import INDEX
from webseam.adapters.stores.sqlite.opening import open_for_reading

from .shelf import PUMP, shelf


def _weighed(folder: Path, query: str) -> Sought:
    connection = open_for_reading(folder / "index.sqlite", INDEX).unwrap()
    sought = weigh(connection, plan(query))
    connection.close()
    return sought


def test_a_term_that_few_passages_have_is_counted(tmp_path: Path) -> None:
    shelf(tmp_path, PUMP).close()

    [heat, zebra, beginning] = _weighed(tmp_path, "heat zebra pum*").terms

    assert (heat.count, zebra.count, beginning.count) == (1, 0, 1)
    assert heat.rarity < zebra.rarity


def test_a_term_that_many_passages_have_is_counted_nearly(tmp_path: Path) -> None:
    index = shelf(tmp_path)
    many = [
        IndexDocument(url=f"https://{n}.example/", text="gas heat" if n % 6 else "gas water")
        for n in range(6000)
    ]
    index.add(many).unwrap()
    # What is gone from one end leaves a gap in the numbers, and no passage behind.
    index.remove([document.url for document in many[:500]]).unwrap()
    index.close()

    [gas, heat, water] = _weighed(tmp_path, "gas heat water").terms

    assert abs(gas.count - 5500) < 300
    assert abs(heat.count - 4584) < 300
    assert water.count == 916
    assert gas.rarity < heat.rarity < water.rarity


def test_the_usual_length_is_that_of_the_passages(tmp_path: Path) -> None:
    shelf(tmp_path, IndexDocument(url="https://a.example/", text="one two three")).close()

    assert _weighed(tmp_path, "one").usual == 3.0
