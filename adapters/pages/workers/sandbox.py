"""What a worker shuts behind itself before it reads its first page, for good.

A parser that a page has taken over holds this process and nothing else: no file, no socket, no
program, no other process. Landlock takes files and TCP away, seccomp every system call that is not
on a short list; ``restraints`` hold where the system has neither. By ctypes, because no maintained
package does both (pyseccomp has had no release since 2021, the Landlock ones are young) and because
it is few lines. What is refused is EPERM rather than a death: PDFium looks for fonts and can do
without.

https://docs.kernel.org/userspace-api/landlock.html and
https://docs.kernel.org/userspace-api/seccomp_filter.html (read 2026-11-15)
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final, NamedTuple, Self

# What would be imported in mid-page: PDFium, codecs that a body can name (of zip archives, PDF
# strings, UTF-16 marks, heads of mail; turbohtml has the web's others in itself), and what the
# standard library imports where it is used.
_LAZY: Final = (
    "pypdfium2",
    "pypdfium2.raw",
    "encodings.ascii",
    "encodings.cp437",
    "encodings.cp850",
    "encodings.cp1252",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.raw_unicode_escape",
    "encodings.utf_16",
    "encodings.utf_16_be",
    "encodings.utf_16_le",
    "encodings.utf_32_be",
    "encodings.utf_32_le",
    "encodings.utf_8_sig",
    "_strptime",
    "bz2",
    "email.base64mime",
    "email.generator",
    "email.quoprimime",
    "linecache",
    "lzma",
    "traceback",
    "unicodedata",
    "zlib",
)

CONFINEMENT_BYTES: Final = 3


class Confinement(NamedTuple):
    """Which walls stand. ``landlock`` is its version, 0 for none; ``proven`` is that deeds fail."""

    landlock: int = 0
    seccomp: bool = False
    proven: bool = False

    def encode(self) -> bytes:
        """Return three bytes for the pipe."""
        return bytes(self)

    @classmethod
    def decode(cls, raw: bytes) -> Self:
        """Read what ``encode`` wrote; nothing holds when it is cut short."""
        landlock, seccomp, proven = (
            raw if len(raw) == CONFINEMENT_BYTES else bytes(CONFINEMENT_BYTES)
        )
        return cls(landlock, bool(seccomp), bool(proven))


def preload_modules() -> None:
    """Import what a conversion may need: afterwards there are no files to import from."""
    for name in _LAZY:
        with suppress(ImportError):
            import_module(name)


if sys.platform == "linux":
    import ctypes
    import os
    import platform
    import resource
    import socket
    import struct

    _PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
    _SIGKILL = 9

    def confine() -> Confinement:
        """Shut everything but memory, clocks and the open pipes; return what could be shut.

        The caller must have one thread: Landlock binds the one that asks.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        # Not left behind by a parent that is killed, and not to be looked into by its equals.
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return Confinement()
        landlock = _restrict(libc)
        # After Landlock, whose rules are a descriptor too: no number from here on may be opened.
        lowest_free = os.dup(0)
        os.close(lowest_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, lowest_free))
        seccomp = _filter_calls(libc)
        return Confinement(landlock=landlock, seccomp=seccomp, proven=_is_shut())

    def _is_shut() -> bool:
        """Try what must fail: a system that says yes and does nothing is found out here."""
        return all(map(_fails, (_open_a_file, _open_a_socket, _start_a_process)))

    def _fails(deed: Callable[[], None]) -> bool:
        try:
            deed()
        except OSError:
            return True
        return False

    def _open_a_file() -> None:
        os.close(os.open("/", os.O_RDONLY))

    def _open_a_socket() -> None:
        socket.socket().close()

    def _start_a_process() -> None:
        if os.fork() == 0:
            os._exit(0)

    # Landlock. The numbers are the same on every architecture.
    _CREATE_RULESET, _RESTRICT_SELF = 444, 446
    _ASK_VERSION = 1
    # Rights over files by version: 13 at first, then refer (2), truncate (3) and ioctl (5).
    _FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
    _MOST_FILE_RIGHTS = 16
    _WITH_NETWORK, _WITH_SCOPES = 4, 6

    def _restrict(libc: ctypes.CDLL) -> int:
        """Handle every right that this kernel knows and grant none; return Landlock's version."""
        none, ask = ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION)
        version = max(0, libc.syscall(_CREATE_RULESET, None, none, ask))
        if version == 0:
            return 0
        rules = _rules(version)
        length, flags = ctypes.c_size_t(len(rules)), ctypes.c_uint(0)
        ruleset = libc.syscall(_CREATE_RULESET, rules, length, flags)
        if ruleset < 0:
            return 0
        restricted = libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), flags)
        os.close(ruleset)
        return version if restricted == 0 else 0

    def _rules(version: int) -> bytes:
        """Return the attribute, longer with each version: files, then TCP, then scopes."""
        files = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
        fields = [files]
        if version >= _WITH_NETWORK:
            fields.append(0b11)
        if version >= _WITH_SCOPES:
            fields.append(0b11)
        return struct.pack(f"={len(fields)}Q", *fields)

    # seccomp: what CPython, turbohtml and PDFium still call once they are warm. Each with its
    # number on x86_64 and on aarch64.
    _ALLOWED: Final = {
        "brk": (12, 214),
        "clock_gettime": (228, 113),
        "clock_nanosleep": (230, 115),
        "close": (3, 57),
        "exit": (60, 93),
        "exit_group": (231, 94),
        "fstat": (5, 80),
        "futex": (202, 98),
        "getitimer": (36, 102),
        "getpid": (39, 172),
        "getrandom": (318, 278),
        "getrusage": (98, 165),
        "gettid": (186, 178),
        "gettimeofday": (96, 169),
        "lseek": (8, 62),
        "madvise": (28, 233),
        "membarrier": (324, 283),
        "mremap": (25, 216),
        "munmap": (11, 215),
        "pread64": (17, 67),
        "read": (0, 63),
        "readv": (19, 65),
        "restart_syscall": (219, 128),
        "rt_sigaction": (13, 134),
        "rt_sigprocmask": (14, 135),
        "rt_sigreturn": (15, 139),
        "sched_getaffinity": (204, 123),
        "sched_yield": (24, 124),
        "setitimer": (38, 103),
        "sigaltstack": (131, 132),
        "sysinfo": (99, 179),
        "uname": (63, 160),
        "write": (1, 64),
        "writev": (20, 66),
    }
    _WITHOUT_EXECUTION: Final = {"mmap": (9, 222), "mprotect": (10, 226)}
    _ON_ITSELF: Final = {"kill": (62, 129), "tgkill": (234, 131)}
    _CLONE3 = 435
    _ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}
    # From this number on x86_64 has the calls of another architecture (x32).
    _FOREIGN_CALLS = 0x40000000
    _PROT_EXEC = 4
    # Where a call's number, its architecture and its arguments stand in struct seccomp_data.
    _NUMBER_AT, _ARCHITECTURE_AT, _FIRST_AT, _THIRD_AT = 0, 4, 16, 32
    _LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
    _KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
    _EPERM, _ENOSYS = _ERRNO | 1, _ERRNO | 38
    _SET_FILTER = 1
    # All threads at once, and without the mitigation that slows a filtered process before Linux
    # 5.16 (Spectre v4; SECCOMP_FILTER_FLAG_SPEC_ALLOW).
    _SYNCHRONIZE_AND_SPECULATE = 1 | 4

    class _Step(NamedTuple):
        """One instruction of the filter; jumps count the steps that are left out."""

        code: int
        if_true: int
        if_false: int
        operand: int

    def _filter_calls(libc: ctypes.CDLL) -> bool:
        machine = platform.machine()
        little_64 = sys.byteorder == "little" and struct.calcsize("P") == 8  # noqa: PLR2004  bytes
        if machine not in _ARCHITECTURES or not little_64:
            return False
        steps = _program(machine)
        packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
        code = ctypes.create_string_buffer(packed, len(packed))
        program = struct.pack("=H6xQ", len(steps), ctypes.addressof(code))
        number = _ARCHITECTURES[machine][2]
        how = ctypes.c_uint(_SYNCHRONIZE_AND_SPECULATE)
        return bool(libc.syscall(number, ctypes.c_uint(_SET_FILTER), how, program) == 0)

    def _program(machine: str) -> list[_Step]:
        column, architecture, _ = _ARCHITECTURES[machine]
        steps = [
            _Step(_LOAD, 0, 0, _ARCHITECTURE_AT),
            _Step(_EQUAL, 1, 0, architecture),
            _return(_KILL_PROCESS),
            _Step(_LOAD, 0, 0, _NUMBER_AT),
            _Step(_AT_LEAST, 0, 1, _FOREIGN_CALLS),
            _return(_KILL_PROCESS),
        ]
        for numbers in _ALLOWED.values():
            steps += [_Step(_EQUAL, 0, 1, numbers[column]), _return(_ALLOW)]
        for numbers in _WITHOUT_EXECUTION.values():
            steps += _unless_executable(numbers[column])
        for numbers in _ON_ITSELF.values():
            steps += _only_on_itself(numbers[column])
        # glibc asks for clone when clone3 is not there, and that is refused like everything else.
        return [*steps, _Step(_EQUAL, 0, 1, _CLONE3), _return(_ENOSYS), _return(_EPERM)]

    def _unless_executable(number: int) -> list[_Step]:
        return [
            _Step(_EQUAL, 0, 4, number),
            _Step(_LOAD, 0, 0, _THIRD_AT),
            _Step(_ANY_BIT, 0, 1, _PROT_EXEC),
            _return(_EPERM),
            _return(_ALLOW),
        ]

    def _only_on_itself(number: int) -> list[_Step]:
        """Allow a signal to this process alone: abort() sends one."""
        return [
            _Step(_EQUAL, 0, 4, number),
            _Step(_LOAD, 0, 0, _FIRST_AT),
            _Step(_EQUAL, 0, 1, os.getpid()),
            _return(_ALLOW),
            _return(_EPERM),
        ]

    def _return(verdict: int) -> _Step:
        return _Step(_RETURN, 0, 0, verdict)

else:  # pragma: no cover  the tests run on Linux

    def confine() -> Confinement:
        """Shut nothing: neither Landlock nor seccomp is here."""
        return Confinement()
