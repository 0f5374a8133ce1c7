"""The tables of the documentation say what the services declare."""

from pathlib import Path

from webseam.adapters.service.declaration import Option, Service, ServiceAddress, api_key
from webseam.composition.service_table import (
    own_services,
    service_tables,
    write_service_table_pages,
    write_tables_into,
)
from webseam.ports.backends import Abilities

PAGE = Path(__file__).parents[2] / "docs" / "services.md"


def test_the_page_holds_the_tables_as_they_are_declared() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == write_tables_into(page, service_tables(own_services())), "run: make docs"


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


def test_the_tables_are_written_into_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n<!-- services -->\nold\n<!-- /services -->\nAfter\n", encoding="utf-8")

    write_service_table_pages([str(page)])
    text = page.read_text(encoding="utf-8")

    assert text.startswith("Before\n<!-- services -->\n| name |")
    assert text.endswith("\n<!-- /services -->\nAfter\n")
