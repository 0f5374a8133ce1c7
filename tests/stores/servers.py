"""Real servers for the stores, on loopback: started from what Debian's packages bring, and killed."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

POSTGRES_MISSING = "PostgreSQL is not installed (apt install postgresql)"
VALKEY_MISSING = "no Valkey and no Redis is installed (apt install valkey-server or redis-server)"
_PATIENCE = 120.0
_ROOT = 0


def postgres_program(name: str) -> str | None:
    """Find a program of PostgreSQL, which Debian keeps out of the path."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(versions[-1]) if versions else shutil.which(name)


def valkey_program() -> str | None:
    """Find Valkey, else Redis."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


def free_port() -> int:
    """Return a port that nobody uses right now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Daemon:
    """A server that can be killed and started again, with the same port and the same data."""

    end = signal.SIGKILL

    def __init__(self, command: list[str], port: int, *, user: str | None = None) -> None:
        self.port = port
        self._command = command
        self._user = user
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
            group=self._user,
            extra_groups=[] if self._user else None,
            start_new_session=True,
        )
        deadline = time.monotonic() + _PATIENCE
        while not self._is_listening():
            assert self._process.poll() is None, f"{self._command[0]} ended by itself"
            assert time.monotonic() < deadline, f"{self._command[0]} does not listen"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it at once, as a power cut does."""
        if self._process is not None:
            os.killpg(self._process.pid, self.end)
            self._process.wait()
            self._process = None

    def _is_listening(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class PostgresServer(Daemon):
    """A cluster of its own in a temporary folder. PostgreSQL refuses to run as root."""

    # Each of its processes is a group of its own and, where only the first is killed, may answer
    # once more; this signal ends them all at once, with nothing put in order, and is waited for:
    # https://www.postgresql.org/docs/current/server-shutdown.html
    end = signal.SIGQUIT

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        initdb, program = postgres_program("initdb"), postgres_program("postgres")
        assert initdb is not None
        assert program is not None
        port = free_port()
        user = _unprivileged()
        # Below /tmp itself: pytest's own folders are closed to other users.
        self._folder = Path(tempfile.mkdtemp(prefix="webseam-postgres-", dir="/tmp"))
        if user is not None:
            shutil.chown(self._folder, user, user)
        data = self._folder / "data"
        subprocess.run(
            [initdb, "-D", data, "-U", "webseam", "--auth=trust", "--no-sync", "-E", "UTF8"],
            check=True,
            stdout=subprocess.DEVNULL,
            user=user,
            group=user,
            extra_groups=[] if user else None,
            cwd=self._folder,
        )
        options = [
            f"-cport={port}",
            "-clisten_addresses=127.0.0.1",
            f"-cunix_socket_directories={self._folder}",
            "-cshared_buffers=16MB",
            "-cmax_connections=60",
            *self._secured(certificate, user),
        ]
        super().__init__([program, "-D", str(data), *options], port, user=user)
        self.url = f"postgresql://webseam:s3cr3t-of-ours@127.0.0.1:{port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it is over with what it does before it answers."""
        super().start()
        program = postgres_program("pg_isready")
        assert program is not None
        command = [program, "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        deadline = time.monotonic() + _PATIENCE
        while subprocess.run(command, check=False).returncode:
            assert time.monotonic() < deadline, "PostgreSQL does not answer"
            time.sleep(0.05)

    def _secured(self, certificate: tuple[Path, Path] | None, user: str | None) -> list[str]:
        """Return the options for TLS; the key must be the server's own, and closed to others."""
        if certificate is None:
            return []
        for file in certificate:
            copy = self._folder / file.name
            shutil.copy(file, copy)
            copy.chmod(0o600)
            if user is not None:
                shutil.chown(copy, user, user)
        names = [self._folder / file.name for file in certificate]
        return ["-cssl=on", f"-cssl_cert_file={names[0]}", f"-cssl_key_file={names[1]}"]

    def remove(self) -> None:
        """Throw all of it away."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


class ValkeyServer(Daemon):
    """A Valkey or Redis that keeps nothing on disk and wants a password."""

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        program = valkey_program()
        assert program is not None
        port = free_port()
        ports = ["--port", str(port)] if certificate is None else _secured(port, certificate)
        options = [*ports, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        password = ["--requirepass", "s3cr3t-of-ours"]
        super().__init__([program, *options, *password, "--dir", "/tmp"], port)  # noqa: S108
        scheme = "valkey" if certificate is None else "valkeys"
        self.url = f"{scheme}://:s3cr3t-of-ours@127.0.0.1:{port}/0"

    def remove(self) -> None:
        """End it."""
        self.kill()


def _secured(port: int, certificate: tuple[Path, Path]) -> list[str]:
    files = ["--tls-cert-file", str(certificate[0]), "--tls-key-file", str(certificate[1])]
    known = ["--tls-ca-cert-file", str(certificate[0]), "--tls-auth-clients", "no"]
    return ["--port", "0", "--tls-port", str(port), *files, *known]


def _unprivileged() -> str | None:
    return "postgres" if os.geteuid() == _ROOT else None
