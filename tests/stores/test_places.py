"""Where somebody stopped reading: remembered, bounded, and never in the way."""

from pathlib import Path

from returns.result import Success

from webseam.adapters.stores.text_files import ReadingPosition, ReadingPositions


def test_a_place_is_remembered_and_the_oldest_make_room(tmp_path: Path) -> None:
    places = ReadingPositions(tmp_path / "new" / "places.json")
    for number in range(505):
        assert places.keep(f"h{number}", ReadingPosition(cursor=number, size=9)) == Success(None)

    assert places.find("h0") is None
    assert places.find("h9") == ReadingPosition(cursor=9, size=9)


def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path) -> None:
    path = tmp_path / "places.json"
    path.write_text('{"a": ["nonsense"]}')
    places = ReadingPositions(path)

    assert places.find("a") is None
    assert places.keep("a", ReadingPosition(cursor=1, size=1)) == Success(None)
    assert places.find("a") == ReadingPosition(cursor=1, size=1)


def test_a_place_that_cannot_be_kept_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    kept = ReadingPositions(tmp_path / "file" / "x.json").keep(
        "a", ReadingPosition(cursor=1, size=1)
    )

    assert kept.failure().store == "reading places"
