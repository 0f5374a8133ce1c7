"""The list of the documentation says what services declare."""

from pathlib import Path

from release.doc_tables import own_services, service_list, write_between_marks
from webseam.adapters.services.declaration import Option, Service, ServiceAddress, api_key
from webseam.ports.backends import Abilities

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_holds_the_list_of_the_code() -> None:
    page = (DOCS / "services.md").read_text(encoding="utf-8")

    assert page == write_between_marks(page, "services", service_list(own_services())), (
        "run: make docs"
    )


def test_a_service_without_an_address_or_a_site_is_written_too() -> None:
    bare = Service(
        name="mine",
        title="Mine",
        address=ServiceAddress(env=("MINE_URL", "MINE_BASE")),
        options=(api_key(), Option(name="pass", title="Pass", required=False)),
        abilities=Abilities(max_results=7),
    )

    assert service_list([bare]) == (
        "- **mine** (): `MINE_URL` or `MINE_BASE`, `WEBSEAM_MINE_API_KEY`, (`WEBSEAM_MINE_PASS`). "
        "Up to 7 rows.\n"
    )


def test_a_text_is_written_between_its_marks() -> None:
    page = "Before\n<!-- mine -->\nold\n<!-- /mine -->\nAfter\n"

    written = write_between_marks(page, "mine", "new\n")

    assert written == "Before\n<!-- mine -->\nnew\n<!-- /mine -->\nAfter\n"
