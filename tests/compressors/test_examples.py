from webseam.adapters.compressors.model_compressor import split_page_text


def test_an_example_of_split_for_compressor() -> None:
    assert split_page_text("One.\n\nTwo.\n\nThree.", 14) == ["One.\n\nTwo.\n\n", "Three."]
