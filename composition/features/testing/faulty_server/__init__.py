"""A server on this machine that misbehaves on purpose: one path for each fault.

Standard library only. Run ``python -m webseam.composition.features.testing.faulty_server``, or::

    async with FaultyServer() as server:
        url = server.url("gzip_bomb")

Each fault names the error kinds that are correct under ``REFERENCE_LIMITS``; ``"ok"`` means that
the client must succeed. Guard every test with ``loopback_only``: some faults redirect to private
addresses, and a client that follows them would make real requests.
"""

from .catalogue import FAULTS
from .conversation import Fault
from .listeners import REFERENCE_LIMITS
from .server import FaultyServer, faulty_server_thread

__all__ = ["FAULTS", "REFERENCE_LIMITS", "Fault", "FaultyServer", "faulty_server_thread"]
