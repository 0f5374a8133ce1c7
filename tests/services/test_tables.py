"""The tables of the documentation say what services declare and what folders hold."""

from pathlib import Path

import pytest

from release.doc_tables import folder_table, own_services, service_tables, write_table_into
from webseam.adapters.services.declaration import Option, Service, ServiceAddress, api_key
from webseam.ports.backends import Abilities

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("mark", ["services", "folders"])
def test_the_pages_hold_the_tables_of_the_code(mark: str) -> None:
    name, table = {
        "services": ("services.md", service_tables(own_services())),
        "folders": ("architecture.md", folder_table()),
    }[mark]
    page = (DOCS / name).read_text(encoding="utf-8")

    assert page == write_table_into(page, mark, table), "run: make docs"


def test_a_service_without_an_address_or_a_site_is_written_too() -> None:
    bare = Service(
        name="mine",
        title="Mine",
        address=ServiceAddress(env=("MINE_URL", "MINE_BASE")),
        options=(api_key(), Option(name="pass", title="Pass", required=False)),
        abilities=Abilities(
            max_results=7, filters={"include_domains": "operator", "exclude_domains": "rows"}
        ),
    )

    overview, _, filters = service_tables([bare]).partition("\n\n")

    assert overview.splitlines()[2] == (
        "| `mine` |  | `MINE_URL` or `MINE_BASE`, `WEBSEAM_MINE_API_KEY`, (`WEBSEAM_MINE_PASS`) |"
    )
    assert filters.splitlines()[2] == "| `mine` | query / rows | - | - | - | - | - |"
    assert filters.splitlines()[4:] == ["- **mine**: At most 7 rows."]


def test_a_table_is_written_between_its_marks() -> None:
    page = "Before\n<!-- mine -->\nold\n<!-- /mine -->\nAfter\n"

    written = write_table_into(page, "mine", "new\n")

    assert written == "Before\n<!-- mine -->\nnew\n<!-- /mine -->\nAfter\n"
