import pytest

from webseam.kernel.trust import Origin, is_privileged, may_meet

OWN_FILE = Origin(layer="file", name="/home/me/config.yaml", line=3)
OWN_ENV = Origin(layer="environment", name="KEY")
FOLDER = Origin(layer="dotenv", name="/project/.env", line=1, foreign=True)


@pytest.mark.parametrize(
    ("address", "given_at", "key_at", "allowed"),
    [
        ("https://a.example/", OWN_FILE, OWN_ENV, True),
        ("https://a.example/", OWN_FILE, FOLDER, True),
        ("https://a.example/", FOLDER, FOLDER, True),
        ("https://a.example/", FOLDER, OWN_ENV, False),
        (" http://127.0.0.1:8000/v1 ", FOLDER, OWN_ENV, True),
        ("http://[::1", FOLDER, OWN_ENV, False),
        ("no address", FOLDER, OWN_ENV, False),
    ],
)
def test_an_address_from_a_working_folder_gets_no_key_from_elsewhere(
    address: str, given_at: Origin, key_at: Origin, *, allowed: bool
) -> None:
    assert may_meet(address, given_at, key_at) is allowed


def test_an_origin_is_written_as_its_place() -> None:
    assert [str(origin) for origin in (OWN_FILE, OWN_ENV, Origin(layer="default"))] == [
        "/home/me/config.yaml:3",
        "KEY",
        "default",
    ]


@pytest.mark.parametrize("block", ["policy", "render", "plugins"])
def test_what_opens_this_machine_is_privileged(block: str) -> None:
    assert is_privileged((block, "x"))
    assert not is_privileged(("cache", block))
