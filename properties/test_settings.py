"""Settings: the last layer wins, any text gives a Result, an edit is only the edit, no key shows."""

import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import yaml
from hypothesis import assume, example, given, strategies as st
from returns.result import Failure, Result, Success

from webseam.adapters.services.calls import Access, Reply
from webseam.adapters.services.json_api.block import read_json_search
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.json_api.readers import parse_json_path
from webseam.adapters.services.operations import SearchAsk
from webseam.composition.doors.cli.commands.config import build_config_overview
from webseam.composition.settings.checks import check_setting_entries, known_setting_keys
from webseam.composition.settings.loader import load_settings
from webseam.composition.settings.parser import parse_config
from webseam.composition.settings.settings_files import read_dotenv
from webseam.composition.settings.yaml_edits import plan_yaml_edit, set_yaml_value, yaml_node_value
from webseam.composition.settings.yaml_nodes import (
    read_yaml_document,
    read_yaml_scalar,
    write_yaml_scalar,
)
from webseam.ports import WebSearchQuery
from webseam.testing import strategies

NAMES = ("backend", "search_backend", "custom_model", "plugins.folder", "compressor.provider")
# Pieces of YAML that mean something, so that texts are often nearly right.
PIECES = (
    "a", "b:", "c: ", "- ", "\n", "  ", "    ", "{", "}", "[", "]", ", ", ": ", "# x\n", "'", '"',
    "|\n", ">-\n", "&x ", "*x", "!!str ", "---\n", "...\n", "? ", "\t", "null", "1", "é", "\r\n",
    "backend: a\n", "services:\n", "web:\n", "cache: {minutes: 3}\n", "json:\n  m:\n", "<<: ",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join) | st.text(max_size=60)
values = st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable() and text.strip())


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Give settings files as people write them: comments, blanks, blocks in blocks, both styles."""
    keys = st.sampled_from(("a", "b", "c d", "é", "no", "5"))
    leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=8)
    whole = draw(
        st.dictionaries(
            keys,
            st.recursive(
                leaves,
                lambda inner: (
                    st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=3)
                ),
                max_leaves=6,
            ),
            min_size=1,
            max_size=4,
        )
    )
    flow = draw(st.sampled_from((False, None)))
    text = yaml.safe_dump(whole, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    lines = text.splitlines()
    for at in draw(st.lists(st.integers(0, len(lines)), max_size=3)):
        lines.insert(at, draw(st.sampled_from(("# a comment", "", "  # another"))))
    newline = draw(st.sampled_from(("\n", "\r\n")))
    return newline.join(lines) + draw(st.sampled_from((newline, "")))


@given(
    in_file=st.none() | st.integers(1, 9),
    beside=st.none() | st.integers(11, 19),
    working=st.none() | st.integers(21, 29),
    environment=st.none() | st.integers(31, 39),
    argument=st.none() | st.integers(41, 49),
)
def test_every_mix_of_places_gives_the_strongest_one(
    in_file: int | None,
    beside: int | None,
    working: int | None,
    environment: int | None,
    argument: int | None,
) -> None:
    with TemporaryDirectory() as name:
        home, folder = Path(name, "home"), Path(name, "working")
        for place, value in ((home, beside), (folder, working)):
            place.mkdir()
            if value is not None:
                (place / ".env").write_text(f"export WEBSEAM_TIMEOUT='{value}'\n")
        if in_file is not None:
            (home / "config.yaml").write_text(f"timeout: {in_file}\n")
        given_variables = {"WEBSEAM_CONFIG": str(home / "config.yaml")}
        if environment is not None:
            given_variables["WEBSEAM_TIMEOUT"] = str(environment)
        loaded = load_settings(given_variables, arguments={"timeout": argument}, folder=folder)

    ranked = (argument, environment, working, beside, in_file, 30)
    expected = next(value for value in ranked if value is not None)
    assert loaded.unwrap().timeout == float(expected)


@given(texts)
@example("a: &a [*a]")
@example("? ")
@example("[" * 1000)
@example("a: 0x_")
@example("a: 1:2:_")
@example("=: =")
def test_any_text_is_settings_or_an_error_with_a_message(text: str) -> None:
    parsed = parse_config(text, "f.yaml").bind(lambda read: check_setting_entries(read.entries))

    assert isinstance(parsed, Result)
    if isinstance(parsed, Failure):
        assert parsed.failure().place.startswith("f.yaml")
        assert parsed.failure().message.isprintable()


@given(st.text(max_size=200) | st.text(alphabet="AB=\"'# \n\\$export\t", max_size=60))
def test_any_text_is_a_file_of_variables(text: str) -> None:
    file = read_dotenv(text).unwrap()

    lines = text.count("\n") + text.count("\r") + 1
    assert all(1 <= line <= lines for line in file.unread)


@given(values)
def test_a_value_in_single_quotes_is_itself(value: str) -> None:
    # A backslash says that a quote or another backslash follows.
    assume("'" not in value and "\\\\" not in value and not value.endswith("\\"))

    assert read_dotenv(f"export A='{value}' # x\n").unwrap().variables["A"].value == value


@given(st.text(max_size=40))
@example("\x85\u2028\ud800".replace("\ud800", ""))
@example("1e5")
@example("~")
def test_a_text_that_is_written_is_read_again(value: str) -> None:
    assume(not any("\ud800" <= letter <= "\udfff" for letter in value))

    node = read_yaml_document(f"a: [{write_yaml_scalar(value)}]").unwrap()

    assert yaml_node_value(node) == {"a": [value]}
    if write_yaml_scalar(value) == value:
        assert read_yaml_scalar(value, None, plain=True) == Success(value)


@given(
    documents(),
    st.lists(st.sampled_from(("a", "b", "c d", "new", "no")), min_size=1, max_size=3),
    values,
)
@example("a:\n  b: 1\n  # end\nc: 2\n", ["a", "new"], "x")
@example("a: {b: 1}\n", ["a", "new", "no"], "x: y")
def test_an_edit_changes_the_value_and_no_other_byte(
    text: str, path: list[str], value: str
) -> None:
    changed = set_yaml_value(text, tuple(path), value)
    if isinstance(changed, Failure):
        return
    before, after = (
        yaml_node_value(read_yaml_document(text).unwrap()),
        yaml_node_value(read_yaml_document(changed.unwrap()).unwrap()),
    )
    edit = plan_yaml_edit(text, tuple(path), value).unwrap()

    found = after
    for name in path:
        found = found[name]
    assert found == value
    assert {k: v for k, v in after.items() if k != path[0]} == {
        k: v for k, v in (before or {}).items() if k != path[0]
    }
    new = changed.unwrap()
    assert new.startswith(text[: edit.start])
    assert new.endswith(text[edit.end :])
    # Nothing but an old value is ever taken away, and never a comment.
    assert new.count("#") - edit.text.count("#") + text[edit.start : edit.end].count(
        "#"
    ) == text.count("#")


@given(documents(), st.sampled_from(("new", "no")), values)
def test_a_new_setting_takes_nothing_away(text: str, name: str, value: str) -> None:
    assume(name not in (yaml_node_value(read_yaml_document(text).unwrap()) or {}))

    changed = set_yaml_value(text, (name,), value)

    if isinstance(changed, Success):
        kept = iter(changed.unwrap())
        assert all(letter in kept for letter in text)


SECRETS = st.from_regex(r"[A-Za-z0-9_]{12,30}", fullmatch=True)


@given(SECRETS, st.sampled_from(("custom_api_key", "services", "json", "providers", "url")))
def test_no_key_is_ever_shown(key: str, where: str) -> None:
    secret = f"Zq9{key}"
    blocks = {
        "custom_api_key": {"custom_api_key": secret},
        "services": {"services": {"any": {"api_key": [secret, "other"]}}},
        "json": {
            "json": {
                "m": {
                    "url_template": "https://a.example/{query}",
                    "api_key": secret,
                    "headers": {"X-Token": secret},
                }
            }
        },
        "providers": {"providers": {"p": {"api_key": secret, "deep": {"password": secret}}}},
        "url": {"custom_api_key": secret, "custom_base_url": f"https://a.example/{secret}"},
    }
    with TemporaryDirectory() as name:
        path = Path(name, "config.yaml")
        path.write_text(yaml.safe_dump(blocks[where]))
        loaded = load_settings({"WEBSEAM_CONFIG": str(path)}, folder=Path(name)).unwrap()
    shown = io.StringIO()

    with redirect_stdout(shown), redirect_stderr(shown):
        print(repr(loaded), msgspec.json.encode(build_config_overview(loaded, {}, ())).decode())  # noqa: T201  to see it

    assert secret not in shown.getvalue()


@given(strategies.json_values())
@example({"endpoint": "https://[", "parameters": {"q": "{query}"}})
@example({"url_template": "https://a.example/{query}", "fields": {"url": []}})
def test_any_block_is_a_description_or_names_its_field(block: object) -> None:
    read = read_json_search(block if isinstance(block, dict) else {"fields": block})

    assert isinstance(read, Result)


@given(strategies.json_values(), st.sampled_from(("", "a", "a.b[0]", "[0].a")))
def test_any_answer_is_decoded_and_no_row_is_invented(payload: object, path: str) -> None:
    block = {"url_template": "https://a.example/{query}", "results_path": path, "error_path": "e"}
    service = json_search_service("mine", read_json_search(block).unwrap())
    assert service.search is not None
    reply = Reply(status=200, payload=payload)

    service.classify(reply)
    rows = service.search.decode(reply)

    found = payload
    for step in parse_json_path(path).unwrap():
        inside = found.get(step) if isinstance(found, dict) and isinstance(step, str) else None
        if isinstance(found, list) and isinstance(step, int) and step < len(found):
            inside = found[step]
        found = inside
    expected = len(found) if isinstance(found, list) else None
    assert (len(rows.unwrap()) if isinstance(rows, Success) else None) == expected


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_no_query_leaves_its_place_in_a_url(query: str) -> None:
    assume(not any("\ud800" <= letter <= "\udfff" for letter in query))
    block = {"url_template": "https://a.example/s/{query}/t?q={query}&n=1"}
    service = json_search_service("mine", read_json_search(block).unwrap())
    assert service.search is not None

    ask = SearchAsk(query=WebSearchQuery(query=query), access=Access())
    path = service.search.encode(ask).path

    assert path.startswith("/s/")
    assert path.count("/") == 3
    assert path.count("?") == path.count("&") == 1
    assert "#" not in path


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = [name for key in known_setting_keys().values() for name in key.variables]

    assert len(names) == len(set(names))
