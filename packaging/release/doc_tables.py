"""Write the tables of the documentation: services in docs/services.md, folders in architecture.md.

``make docs`` calls it: ``python packaging/release/doc_tables.py``.
"""

import ast
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from webseam.adapters.services.declaration import Service
from webseam.composition.wiring.service_backends import bundled_service_names, installed_services
from webseam.ports.backends import FilterName, Support

_ROOT = Path(__file__).parents[2]
_ROOMS = ("ports", "kernel", "adapters", "composition")
_USUAL_MAX_RESULTS = 100
_SUPPORT_LABELS: dict[Support, str] = {
    "native": "native", "operator": "query", "rows": "rows", "refused": "-",
}  # fmt: skip
_FILTER_COLUMNS: tuple[tuple[str, tuple[FilterName, ...]], ...] = (
    ("domains", ("include_domains", "exclude_domains")),
    ("dates", ("published_after", "published_before")), ("country", ("country",)),
    ("language", ("language",)), ("topic", ("topic",)), ("safe search", ("safe_search",)),
)  # fmt: skip


def own_services() -> list[Service]:
    """Return the services that come with webseam, best first."""
    installed = installed_services()
    services = [installed[name] for name in bundled_service_names()]
    return sorted(services, key=lambda service: (service.offer.rank, service.name))


def service_tables(services: Iterable[Service]) -> str:
    """Return Markdown tables of abilities, settings and filters of services."""
    declared = list(services)
    heads = ("name", "can", "set")
    overview = _table_lines(heads, map(_service_overview_cells, declared))
    filter_heads = ("name", *(title for title, _ in _FILTER_COLUMNS))
    filters = _table_lines(filter_heads, map(_service_filter_cells, declared))
    notes = [(service.name, " ".join(_service_notes(service))) for service in declared]
    listed = [f"- **{name}**: {note}" for name, note in notes if note]
    return "\n".join([*overview, "", *filters, "", *listed, ""])


def folder_table() -> str:
    """Return a Markdown table of the folders of each room and what their docstrings say."""
    packages = sorted(path for room in _ROOMS for path in (_ROOT / room).glob("*/__init__.py"))
    rows = []
    for path in packages:
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        name = path.parent.relative_to(_ROOT).as_posix()
        rows.append((f"`{name}`", docstring.partition("\n")[0]))
    return "\n".join([*_table_lines(("folder", "what is in it"), rows), ""])


def write_table_into(page: str, mark: str, table: str) -> str:
    r"""Return a page with a table between the two marks of its name.

    >>> write_table_into("A\n<!-- mine -->\nold\n<!-- /mine -->\n", "mine", "new\n")
    'A\n<!-- mine -->\nnew\n<!-- /mine -->\n'
    """
    pattern = rf"(?<=<!-- {mark} -->\n).*?(?=<!-- /{mark} -->)"
    return re.sub(pattern, lambda _: table, page, flags=re.DOTALL)


def write_pages() -> None:
    """Write both tables into their pages."""
    tables = {"services": service_tables(own_services()), "folders": folder_table()}
    for mark, name in (("services", "services.md"), ("folders", "architecture.md")):
        page = _ROOT / "docs" / name
        page.write_text(write_table_into(page.read_text("utf-8"), mark, tables[mark]), "utf-8")


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
    return [*([] if is_usual else [f"At most {most} rows."]), *filter(None, [service.note])]


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


def _service_filter_cells(service: Service) -> tuple[str, ...]:
    support = service.abilities.filters
    cells = [f"`{service.name}`"]
    for _, names in _FILTER_COLUMNS:
        labels = [_SUPPORT_LABELS[support.get(name, "refused")] for name in names]
        cells.append(" / ".join(dict.fromkeys(labels)))
    return tuple(cells)


def _table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


if __name__ == "__main__":
    write_pages()
