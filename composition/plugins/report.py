"""How loading plugins went."""

import msgspec

from ...ports.middleware import Callbacks


class PluginReport(msgspec.Struct, frozen=True, kw_only=True):
    """How loading one plugin went: what it registered, what was refused, or why it is broken."""

    key: str
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The callbacks of all plugins that run, and a report on each."""

    callbacks: Callbacks = Callbacks()
    reports: tuple[PluginReport, ...] = ()

    @property
    def broken(self) -> tuple[PluginReport, ...]:
        """The reports on plugins that could not be loaded."""
        return tuple(report for report in self.reports if report.problem)
