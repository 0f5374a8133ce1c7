"""The command ``webseam data rules``: list, show and remove the learned rules of sites."""

from argparse import Namespace
from collections.abc import Sequence

from returns.result import Failure

from webseam.adapters.features.data.rule_files import RuleFiles
from webseam.composition.settings.file_locations import PROCESS_FILES
from webseam.composition.terminal.argument_parser import Parser
from webseam.composition.terminal.output import print_data, print_error
from webseam.kernel.features.data.places import describe_rule
from webseam.kernel.text.display import strip_hidden
from webseam.ports.data_rules import SiteRules
from webseam.ports.errors import InvalidQuery


def run_rules(arguments: Sequence[str]) -> int:
    """List the rules of all sites, or show or remove those of one; return the exit code."""
    options = rules_command_line().parse_args(arguments)
    store = RuleFiles(PROCESS_FILES.rules_folder)
    if options.site is None:
        if options.remove:
            return print_error(
                InvalidQuery(field="SITE", reason="is needed to remove rules"), as_json=options.json
            )
        return _print_rules(store.all_rules(), "No rules were learned.", options)
    if options.remove:
        removed = store.remove(options.site)
        if isinstance(removed, Failure):
            return print_error(removed.failure(), as_json=options.json)
        return print_data({"removed": removed.unwrap()}, f"{removed.unwrap()} removed.", options)
    own = [rules for rules in store.all_rules() if rules.site == options.site]
    return _print_rules(own, f"No rules were learned for {options.site}.", options)


def _print_rules(all_rules: Sequence[SiteRules], empty: str, options: Namespace) -> int:
    lines: list[str] = []
    for rules in all_rules:
        fields = ", ".join(rules.fields) or "no field"
        pages = f"{len(rules.pages)} page{'s' if len(rules.pages) != 1 else ''}"
        lines.append(f"{rules.site}  {rules.schema.thing}: {fields}  ({pages}, {rules.learned})")
        if options.site is not None:
            lines += [f"  {name}: {describe_rule(rule)}" for name, rule in rules.fields.items()]
            lines += [f"  learned from {page}" for page in rules.pages]
    return print_data({"rules": all_rules}, strip_hidden("\n".join(lines)) or empty, options)


def rules_command_line() -> Parser:
    """Return the parser of the command's arguments."""
    parser = Parser(
        prog="webseam data rules",
        description="List the rules that `webseam.learn` stored: for each site, the fields whose "
        "place in its pages is known.",
    )
    parser.add_argument("site", nargs="?", metavar="SITE", help="show the places of one site")
    parser.add_argument("--remove", action="store_true", help="delete the rules of the site")
    return parser
