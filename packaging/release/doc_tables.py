"""Write the table of services in docs/services.md.

``make docs`` calls it: ``python packaging/release/doc_tables.py``.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import bundled_service_names, installed_services

_PAGE = Path(__file__).parents[2] / "docs" / "services.md"
_USUAL_MAX_RESULTS = 100


def own_services() -> list[Service]:
    """Return the services that come with webseam, best first."""
    installed = installed_services()
    services = [installed[name] for name in bundled_service_names()]
    return sorted(services, key=lambda service: (service.offer.rank, service.name))


def service_table(services: Iterable[Service]) -> str:
    """Return a Markdown table of services: what each can do, its settings, and notes below it."""
    declared = list(services)
    overview = _table_lines(("name", "can", "set"), map(_service_overview_cells, declared))
    notes = [(service.name, " ".join(_service_notes(service))) for service in declared]
    listed = [f"- **{name}**: {note}" for name, note in notes if note]
    return "\n".join([*overview, "", *listed, ""])


def write_table_into(page: str, mark: str, table: str) -> str:
    r"""Return a page with a table between the two marks of its name.

    >>> write_table_into("A\n<!-- mine -->\nold\n<!-- /mine -->\n", "mine", "new\n")
    'A\n<!-- mine -->\nnew\n<!-- /mine -->\n'
    """
    pattern = rf"(?<=<!-- {mark} -->\n).*?(?=<!-- /{mark} -->)"
    return re.sub(pattern, lambda _: table, page, flags=re.DOTALL)


def write_page() -> None:
    """Write the table into its page."""
    table = service_table(own_services())
    _PAGE.write_text(write_table_into(_PAGE.read_text("utf-8"), "services", table), "utf-8")


def _service_overview_cells(service: Service) -> tuple[str, ...]:
    name = f"`{service.name}`"
    return (
        f"[{name}]({service.site})" if service.site else name,
        ", ".join(_service_abilities(service)),
        ", ".join(_service_setting_cells(service)) or "-",
    )


def _service_abilities(service: Service) -> list[str]:
    """Name the abilities; a star stands at those that work without a key."""
    names = (["search"] if service.search else []) + (["extract"] if service.extract else [])
    return [f"{name}\\*" if name in service.offer.keyless else name for name in names]


def _service_notes(service: Service) -> list[str]:
    """Return the sentences about a service, with its most rows where these are not the usual."""
    most = service.abilities.max_results
    is_usual = most in (None, _USUAL_MAX_RESULTS)
    return [*([] if is_usual else [f"Up to {most} rows."]), *filter(None, [service.note])]


def _service_setting_cells(service: Service) -> list[str]:
    """Name the variables of each option and of the address; optional ones in brackets."""
    address = _option_variables(service.address.env, service, "base_url")
    cells = ["" if service.address.base_url else address]
    for option in service.options:
        names = _option_variables(option.env, service, option.name)
        cells.append(names if option.required else f"({names})")
    cells.append(f"({address})" if service.address.env and service.address.base_url else "")
    return [names for names in cells if names]


def _option_variables(env: tuple[str, ...], service: Service, option: str) -> str:
    return " or ".join(f"`{name}`" for name in env or (f"WEBSEAM_{service.name}_{option}".upper(),))


def _table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


if __name__ == "__main__":
    write_page()
