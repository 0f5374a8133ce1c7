"""What nodes are told, and whether a node is fit for it. Pages never pass through the cluster."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from ....kernel.policy.policy_rules import Policy
from ....ports.bulk import Shard
from ....ports.errors import NotConfigured, StoreFailed, WebError
from ..inputs.plan import load_plan
from ..options import BulkOptions, maker_versions
from .rounds import Round


class RunIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """What all orders of a run say: its options, whose folder is absolute, and its versions.

    Names of sources begin at ``base``.
    """

    options: BulkOptions
    base: str
    makers: dict[str, str]

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return Path(self.options.folder)


class ShardOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Read a shard."""

    place: RunIdentity
    shard: Shard


class GroupOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Fetch what a group of hosts has in a round; ``max_bytes`` is for all its rounds."""

    place: RunIdentity
    policy: Policy
    round: Round
    group: int
    max_bytes: int | None


class GroupEnd(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a group: not ``whole`` when the run was stopped."""

    whole: bool


def explain_misfit(identity: RunIdentity) -> WebError | None:
    """Return why this node cannot work on the run, None when it can."""
    if load_plan(identity.folder) is None:
        reason = (
            f"{socket.gethostname()} does not see {identity.folder}: every node must share that "
            "folder, and those of the inputs, under the same names"
        )
        return StoreFailed(store="the run", reason=reason)
    here = maker_versions()
    differing = [
        f"{name} {here.get(name) or 'none'} instead of {version}"
        for name, version in identity.makers.items()
        if here.get(name) != version
    ]
    if not differing:
        return None
    reason = f"{socket.gethostname()} has other versions: {', '.join(differing)}"
    return NotConfigured(reason=reason, remedy="Install the same versions on every node.")
