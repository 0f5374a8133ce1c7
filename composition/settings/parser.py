"""A settings file's text, as values by path."""

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting
from .entries import Entry, KeyPath
from .sources.hermes import Flattener, doubtful_name_warnings, is_blank, is_hermes, take_hermes
from .yaml.nodes import BlockNode, YamlProblem, read_document


class ParsedConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The values, whether it is a file of Hermes, and what in it may be a mistake."""

    entries: dict[KeyPath, Entry] = {}
    hermes: bool = False
    warnings: tuple[str, ...] = ()


def parse_config(text: str, file: str) -> Result[ParsedConfig, InvalidSetting]:
    """Read a settings file; an empty one says nothing."""
    document = read_document(text)
    if isinstance(document, Failure):
        return Failure(_unreadable(document.failure(), file))
    root = document.unwrap()
    if root is None or is_blank(root):
        return Success(ParsedConfig())
    if not isinstance(root, BlockNode):
        trouble = YamlProblem(reason="must hold settings such as backend: NAME", line=root.line)
        return Failure(_unreadable(trouble, file))
    hermes = is_hermes(root)
    flat = take_hermes(root, file) if hermes else Flattener(file).take(root)
    warnings = doubtful_name_warnings(root, file) if hermes else ()
    return flat.map(lambda entries: ParsedConfig(entries=entries, hermes=hermes, warnings=warnings))


def _unreadable(trouble: YamlProblem, file: str) -> InvalidSetting:
    place = file if trouble.line is None else f"{file}:{trouble.line}"
    return InvalidSetting(setting="the settings file", place=place, reason=trouble.reason)
