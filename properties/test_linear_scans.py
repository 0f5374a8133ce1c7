"""Every loop outside of the workers does work in proportion to the text that it meets.

Functions that take texts alone are called with texts that grow (pumped_calls.py), and what they do to texts and
lists is counted (counted_code.py). Loops that no such call reaches may not read the whole of what outlives them in a turn
(loop_steps.py). ``python -m properties.pumped_calls MODULES`` shows what is reached in these.
Patterns have a law of their own in test_linear_patterns.py.
"""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from properties.counted_code import COUNT, count_module
from properties.loop_steps import long_steps, loops_of
from properties.pumped_calls import Pump, Reader, superlinear_work
from properties.regex_work import deep_recursion
from properties.written_patterns import module_files, parent_modules

SHARDS = 2
# Functions whose work is bounded by something that the code of the loop does not tell.
REASONS = {
    "settings and commands of the user": (
        "adapters.features.models.declaration.wire._other_values",
        "adapters.features.models.declaration.wire._drop_each_odd_tool",
        "adapters.features.models.wires.chat.messages._set_system_role",
        "composition.doors.cli.commands.config._schema_rows",
        "composition.health.examination.examine_named",
        "composition.features.index.removal._remove_documents",
        "composition.doors.mcp.client_changes._set_yaml_entry",
        "composition.doors.mcp.client_changes._set_json_entry",
        "composition.doors.mcp.jsonc._edit_text",
        "composition.features.models.commands.setup.ask_setup_target",
        "composition.planning.route_backend.route_detour_text",
        "composition.settings.checks._struct_keys",
        "composition.settings.hermes_settings.Flattener._walk_block",
        "composition.settings.json_services._locate_error",
        "composition.settings.loader._flatten_arguments",
        "composition.settings.services._check_option_names",
        "composition.settings.services._check_key_theft",
        "kernel.middleware.hooks.notify_hooks",
        "kernel.features.models.x_search_request._tidy_handles",
        "kernel.planner.routes.read_model_route",
        "kernel.planner.routes.read_route",
        "kernel.text.redaction._mask_secrets",
        "kernel.urls.proxy_rules.choose_proxy",
    ),
    "a name of DNS, a name of a column, or a word": (
        "adapters.features.bulk.datasets.parquet_tables.find_table_column",
        "adapters.features.index.passage_terms._host_marks",
        "adapters.features.index.variants._indexed_halves",
        "adapters.features.index.variants._longest_indexed_prefix",
        "adapters.language.spelling_variants._arabic_spellings",
        "adapters.values.urls._append_url_path",
        "kernel.features.bulk.url_lists._column_index",
        "kernel.text.fence._word_pattern",
        "kernel.text.personal_data._mask_iban",
        "kernel.urls.url_parsing.is_metadata_host_name",
        "kernel.urls.url_parsing.host_domain_suffixes",
    ),
    "a passage, a line or a sentence, cut before": (
        "adapters.values.dates.iso_date",
        "adapters.values.dates.read_date_field",
        "adapters.language.symbols.find_sigils",
        "adapters.language.tokenising.plain_text",
        "kernel.features.evidence.extracts._score_extracts",
        "kernel.features.evidence.rendering.name_columns",
    ),
    "a number of tries, hops, addresses, calls, rows, columns or levels that has a limit": (
        "adapters.features.models.declaration.unsent_messages._leaves_inside",
        "adapters.features.gateway.sealed_turns.seal_turns",
        "adapters.features.models.client.client.ModelClient._ask_with_retries",
        "adapters.features.bulk.crawling.polite_fetcher.PoliteFetcher._follow_redirects",
        "adapters.http.dial._race_addresses",
        "adapters.plugins.observers.counter.UseCounter._count_uses",
        "adapters.pages.fetch.fetcher.Fetcher._fetch_with_retries",
        "adapters.pages.workers.process._write_job_pieces",
        "adapters.services.google.reply_error",
        "adapters.services.operations.finish_job",
        "composition.features.gateway.mcp.heads.read_mcp_head",
        "composition.doors.mcp.client_changes._remove_entry",
        "composition.doors.mcp.mcp_calls._divide_result_room",
        "composition.terminal.styled_lines._fit_columns",
        "kernel.pages.find._passage",
        "kernel.planner.latency.add_latencies",
    ),
    "what is left after one write or one line of it": (
        "adapters.features.documents.formats.office.xml_elements.XmlNode.subtree",
        "adapters.files._write_new_file",
        "composition.features.bulk.dataset_duplicates.read_part_rows",
        "composition.features.gateway.request_performer._map_links",
        "composition.doors.mcp.stdio.StdioWriter.send",
    ),
    "a search for a free name that goes on from the last number": (
        "adapters.features.models.messages.pairing.UniqueNames.reserve_name",
    ),
}
BOUNDED = frozenset(label for labels in REASONS.values() for label in labels)


@cache
def pumped(shard: int) -> dict[str, Any]:
    names = parent_modules()[shard::SHARDS]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "properties.pumped_calls", *names],
        capture_output=True,
        text=True,
        check=True,
        timeout=1800,
        cwd=Path(__file__).parent.parent,
    )
    report: dict[str, Any] = json.loads(run.stdout)
    return report


@pytest.mark.parametrize("shard", range(SHARDS))
def test_every_loop_outside_of_the_workers_is_linear(shard: int) -> None:
    names = parent_modules()[shard::SHARDS]
    report = pumped(shard)
    steps = [
        (f"{name}.{function}", place, found)
        for name in names
        for place, function, loop in loops_of(name)
        if (found := [*long_steps(loop)])
    ]
    turned = {*report["turned"]}
    found = {label: steps for label, place, steps in steps if place not in turned} | report["slow"]
    assert {label: found[label] for label in found.keys() - BOUNDED} == {}
    listed = {label for label in BOUNDED if _module_of(label) in names}
    assert listed <= report["slow"].keys() | {label for label, _, _ in steps}, (
        "of these none is found"
    )


def _module_of(label: str) -> str:
    return next(name for name in iter_parents(label) if name in module_files())


def iter_parents(label: str) -> list[str]:
    parts = label.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]


def reader_of(source: str) -> Reader:
    module = ModuleType("scanned")
    exec(count_module(ast.parse(source), module), vars(module))  # noqa: S102  the text of a test
    function = vars(module)["scan"]
    function.__module__ = __name__
    return Reader("", "scan", function)


WORSE = [
    "def scan(text: str):\n while text:\n  text = text[1:]",
    "def scan(text: str):\n for sign in text:\n  text.find('z')",
    "def scan(text: str):\n for sign in text:\n  'z' in text",
    "def scan(text: str):\n signs = list(text)\n while signs:\n  signs.pop(0)",
    "def scan(text: str):\n seen = []\n for place, _ in enumerate(text):\n  if place not in seen: seen.append(place)",
    "def scan(text: str):\n return [one for one in text for two in text]",
    "def scan(data: bytes):\n grown = b''\n for sign in data:\n  grown += b'a'",
    "import re\ndef scan(text: str):\n for at in range(len(text)):\n  re.compile('z').search(text, at)",
    "def scan(texts: list[str]):\n known = ()\n for text in texts:\n  known = (*known, text)",
    "def scan(text: str):\n return text and scan(text[1:])",
    "def scan(text: str):\n return [all(map(text.count, 'ab')) for _ in text]",
]  # fmt: skip
LINEAR = [
    "def scan(text: str):\n at = 0\n while (at := text.find('a', at) + 1):\n  pass",
    "def scan(text: str):\n return ''.join(sign for sign in text if sign in 'abc')",
    "def scan(text: str):\n grown = ''\n for sign in text:\n  grown += sign\n return grown",
    "def scan(text: str):\n return [line.strip() for line in text.splitlines()]",
    "def scan(texts: list[str]):\n return sorted({*texts}, key=len)",
]  # fmt: skip


def is_worse(source: str) -> bool:
    pumps = [Pump("a"), Pump("a", is_many=True)]
    with deep_recursion():
        return any(superlinear_work(reader_of(source), pump) for pump in pumps)


def test_a_scan_that_is_worse_than_linear_is_found() -> None:
    assert [source for source in WORSE if not is_worse(source)] == []
    assert [source for source in LINEAR if is_worse(source)] == []
    COUNT.reset()


def test_a_step_over_all_of_what_outlives_the_loop_is_found() -> None:
    found = [
        "while text:\n text = text[1:]",
        "for line in lines:\n text.find(line)",
        "while rest:\n rest.pop(0)",
        "[text.replace(one, '') for one in words]",
        "for one in words:\n known = [*known, one]",
        "for place in places:\n count(body[:place])",
    ]
    passed = [
        "for line in lines:\n line.find('a')",
        "while (at := text.find('a', at)) >= 0:\n at += 1",
        "for word in words:\n text[start:end]",
    ]
    loops = {
        code: next(
            node
            for node in ast.walk(ast.parse(code))
            if (hasattr(node, "body") and not isinstance(node, ast.Module))
            or hasattr(node, "generators")
        )
        for code in (*found, *passed)
    }
    assert [code for code in found if not any(long_steps(loops[code]))] == []
    assert [code for code in passed if any(long_steps(loops[code]))] == []
