"""Documents cut into passages."""

from webseam.adapters.features.index.documents import MAX_PASSAGE_CHARS, Passage, split_passages


def test_a_short_document_stays_whole() -> None:
    text = "# A\n\nfirst\n\n## B\n\nsecond\n"

    assert split_passages(text) == (Passage(headings="A > B", body=text),)


def test_nothing_is_cut_out_of_nothing() -> None:
    assert split_passages("") == ()


def test_a_long_document_is_cut_at_headings_and_each_part_knows_those_above() -> None:
    part = "Some words here. " * 50
    text = f"# Top\n\n{part}\n\n## One\n\n{part}\n\n### Deep\n\n{part}\n\n## Two\n\n{part}\n"

    assert [passage.headings for passage in split_passages(text)] == [
        "Top",
        "Top > One",
        "Top > One > Deep",
        "Top > Two",
    ]


def test_a_paragraph_without_a_heading_of_its_own_is_under_those_before_it() -> None:
    part = "Some words here. " * 90
    text = f"# Top\n\n{part}\n\n{part}\n\n{part}"

    assert [passage.headings for passage in split_passages(text)] == ["Top", "Top", "Top"]


def test_a_heading_is_never_left_alone_at_the_end_of_a_passage() -> None:
    text = f"{'x ' * 700}\n\n# A\n\n## B\n\n{'word ' * 500}"

    assert split_passages(text)[1].body.startswith("# A\n\n## B\n\nword")


def test_a_hash_in_code_is_no_heading() -> None:
    code = "```sh\n# not a heading\n" + "echo\n\n" * 100 + "```\n"
    text = f"{'x ' * 1000}\n\n{code}\n\n{'y ' * 1000}"

    assert all(passage.headings == "" for passage in split_passages(text))
    assert any(passage.body.startswith(code) for passage in split_passages(text))


def test_a_fence_is_closed_by_its_own_kind() -> None:
    text = "~~~\n```\n# code\n~~~\n# Heading\n\n" + "x " * 2000

    assert split_passages(text)[0].headings == "Heading"


def test_a_paragraph_without_end_is_cut_at_lines_sentences_or_words() -> None:
    lines = "a line of text\n" * 400
    sentences = "A sentence of text. " * 400
    words = "word " * 1500
    nothing = "x" * 7000

    assert all(passage.body.endswith("\n") for passage in split_passages(lines))
    assert all(passage.body.endswith(". ") for passage in split_passages(sentences))
    assert all(passage.body.endswith(" ") for passage in split_passages(words))
    assert max(len(passage.body) for passage in split_passages(nothing)) == MAX_PASSAGE_CHARS
