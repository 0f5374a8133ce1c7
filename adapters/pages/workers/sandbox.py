"""Confine a worker for good before it reads its first page.

A page that takes over the parser controls only this process: no file, socket, program or other
process. Landlock blocks files and TCP, seccomp every system call that is not on a short list;
``Restraints`` remain where the system has neither. It uses ctypes, because no maintained package
does both (pyseccomp has had no release since 2021, the Landlock packages are young) and the code is
short. Refused calls fail with EPERM instead of ending the process: PDFium looks for fonts and works
without them.

https://docs.kernel.org/userspace-api/landlock.html and
https://docs.kernel.org/userspace-api/seccomp_filter.html (read 2026-11-15)
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Final, NamedTuple, Self

# Modules that a conversion would import late: PDFium, codecs that a body can name (in zip archives,
# PDF strings, UTF-16 marks, mail headers; turbohtml contains the web's others), and lazy imports of
# the standard library.
_LAZY_MODULES: Final = (
    "pycld2", "pypdfium2", "pypdfium2.raw", "encodings.ascii", "encodings.cp437", "encodings.cp850",
    "encodings.cp1252", "encodings.idna", "encodings.latin_1", "encodings.raw_unicode_escape",
    "encodings.utf_16", "encodings.utf_16_be", "encodings.utf_16_le", "encodings.utf_32_be",
    "encodings.utf_32_le", "encodings.utf_8_sig", "_strptime", "bz2", "email.base64mime",
    "email.generator", "email.quoprimime", "linecache", "lzma", "markdown_it.rules_inline",
    "traceback", "unicodedata", "zlib",
)  # fmt: skip

CONFINEMENT_BYTES: Final = 3


class Confinement(NamedTuple):
    """Active protections: Landlock's version (0 for none), seccomp, and whether tests failed."""

    landlock: int = 0
    seccomp: bool = False
    proven: bool = False

    def encode(self) -> bytes:
        """Return three bytes for the pipe."""
        return bytes(self)

    @classmethod
    def decode(cls, raw: bytes) -> Self:
        """Read the bytes of ``encode``; truncated bytes mean no protection."""
        landlock, seccomp, proven = raw if len(raw) == CONFINEMENT_BYTES else bytes(3)
        return cls(landlock, bool(seccomp), bool(proven))


def preload_modules() -> None:
    """Import modules that a conversion may need: a confined worker cannot read files."""
    for name in _LAZY_MODULES:
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

    def confine_worker() -> Confinement:
        """Block everything but memory, clocks and the open pipes; return the active protections.

        The caller must have a single thread: Landlock restricts only the calling one.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        # End with a killed parent, and let no process of the same user read this one's memory.
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return Confinement()
        landlock = _apply_landlock(libc)
        # After Landlock, whose ruleset is a descriptor too: allow no new descriptors.
        lowest_free = os.dup(0)
        os.close(lowest_free)
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest_free, lowest_free))
        seccomp = _apply_seccomp_filter(libc)
        return Confinement(landlock=landlock, seccomp=seccomp, proven=_is_confined())

    def _is_confined() -> bool:
        """Try deeds that must fail, in case the system only claims to be confined."""
        return all(map(_is_attempt_refused, (_try_open_file, _try_open_socket, _try_start_process)))

    def _is_attempt_refused(deed: Callable[[], None]) -> bool:
        try:
            deed()
        except OSError:
            return True
        return False

    def _try_open_file() -> None:
        os.close(os.open("/", os.O_RDONLY))

    def _try_open_socket() -> None:
        socket.socket().close()

    def _try_start_process() -> None:
        if os.fork() == 0:
            os._exit(0)

    # Landlock's call numbers are the same on every architecture.
    _CREATE_RULESET, _RESTRICT_SELF = 444, 446
    _ASK_VERSION = 1
    # Number of file rights by version: 13, then refer (2), truncate (3) and ioctl (5).
    _FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
    _MOST_FILE_RIGHTS = 16
    _NETWORK_VERSION, _SCOPES_VERSION = 4, 6

    def _apply_landlock(libc: ctypes.CDLL) -> int:
        """Handle every right of this kernel and grant none; return Landlock's version, or 0."""
        empty_size, version_flag = ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION)
        version = max(0, libc.syscall(_CREATE_RULESET, None, empty_size, version_flag))
        if version == 0:
            return 0
        rules = _landlock_ruleset(version)
        length, flags = ctypes.c_size_t(len(rules)), ctypes.c_uint(0)
        ruleset = libc.syscall(_CREATE_RULESET, rules, length, flags)
        if ruleset < 0:
            return 0
        restricted = libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), flags)
        os.close(ruleset)
        return version if restricted == 0 else 0

    def _landlock_ruleset(version: int) -> bytes:
        """Return the ruleset attribute of a version: files, then TCP, then scopes."""
        files = (1 << _FILE_RIGHTS.get(version, _MOST_FILE_RIGHTS)) - 1
        fields = [
            files,
            *(0b11 for first in (_NETWORK_VERSION, _SCOPES_VERSION) if version >= first),
        ]
        return struct.pack(f"={len(fields)}Q", *fields)

    # seccomp: the calls of CPython, turbohtml and PDFium after loading, each with its number on
    # x86_64 and on aarch64.
    _ALLOWED_CALLS: Final = {
        "brk": (12, 214), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115),
        "close": (3, 57), "exit": (60, 93), "exit_group": (231, 94), "fstat": (5, 80),
        "futex": (202, 98), "getitimer": (36, 102), "getpid": (39, 172), "getrandom": (318, 278),
        "getrusage": (98, 165), "gettid": (186, 178), "gettimeofday": (96, 169), "lseek": (8, 62),
        "madvise": (28, 233), "membarrier": (324, 283), "mremap": (25, 216), "munmap": (11, 215),
        "pread64": (17, 67), "read": (0, 63), "readv": (19, 65), "restart_syscall": (219, 128),
        "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
        "sched_getaffinity": (204, 123), "sched_yield": (24, 124), "setitimer": (38, 103),
        "sigaltstack": (131, 132), "sysinfo": (99, 179), "uname": (63, 160), "write": (1, 64),
        "writev": (20, 66),
    }  # fmt: skip
    _NON_EXECUTABLE_CALLS: Final = {"mmap": (9, 222), "mprotect": (10, 226)}
    _SELF_SIGNAL_CALLS: Final = {"kill": (62, 129), "tgkill": (234, 131)}
    _CLONE3 = 435
    _ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}
    # On x86_64, numbers from here on are calls of the x32 architecture.
    _X32_SYSCALL_BIT = 0x40000000
    _PROT_EXEC = 4
    # Offsets of a call's number, architecture and arguments in struct seccomp_data.
    _NUMBER_AT, _ARCHITECTURE_AT, _FIRST_AT, _THIRD_AT = 0, 4, 16, 32
    _BPF_LD, _BPF_JEQ, _BPF_JGE, _BPF_JSET, _BPF_RET = 0x20, 0x15, 0x35, 0x45, 0x06
    _KILL_PROCESS, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
    _EPERM, _ENOSYS = _ERRNO | 1, _ERRNO | 38
    _SET_FILTER = 1
    # Apply to all threads, and without the mitigation that slows filtered processes before Linux
    # 5.16 (Spectre v4; SECCOMP_FILTER_FLAG_SPEC_ALLOW).
    _SYNCHRONIZE_AND_SPECULATE = 1 | 4

    class _SeccompStep(NamedTuple):
        """One instruction of the filter; jumps count skipped steps."""

        code: int
        if_true: int
        if_false: int
        operand: int

    def _apply_seccomp_filter(libc: ctypes.CDLL) -> bool:
        machine = platform.machine()
        is_little_endian_64 = sys.byteorder == "little" and struct.calcsize("P") == 8  # noqa: PLR2004  bytes
        if machine not in _ARCHITECTURES or not is_little_endian_64:
            return False
        steps = _seccomp_program(machine)
        packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
        code = ctypes.create_string_buffer(packed, len(packed))
        program = struct.pack("=H6xQ", len(steps), ctypes.addressof(code))
        number = _ARCHITECTURES[machine][2]
        flags = ctypes.c_uint(_SYNCHRONIZE_AND_SPECULATE)
        return bool(libc.syscall(number, ctypes.c_uint(_SET_FILTER), flags, program) == 0)

    def _seccomp_program(machine: str) -> list[_SeccompStep]:
        column, architecture, _ = _ARCHITECTURES[machine]
        steps = [
            _SeccompStep(_BPF_LD, 0, 0, _ARCHITECTURE_AT),
            _SeccompStep(_BPF_JEQ, 1, 0, architecture),
            _seccomp_return(_KILL_PROCESS),
            _SeccompStep(_BPF_LD, 0, 0, _NUMBER_AT),
            _SeccompStep(_BPF_JGE, 0, 1, _X32_SYSCALL_BIT),
            _seccomp_return(_KILL_PROCESS),
        ]
        for numbers in _ALLOWED_CALLS.values():
            steps += [_SeccompStep(_BPF_JEQ, 0, 1, numbers[column]), _seccomp_return(_ALLOW)]
        for numbers in _NON_EXECUTABLE_CALLS.values():
            steps += _seccomp_unless_executable(numbers[column])
        for numbers in _SELF_SIGNAL_CALLS.values():
            steps += _seccomp_signal_self(numbers[column])
        # Without clone3 (ENOSYS) glibc calls clone, which is refused like everything else.
        steps += [_SeccompStep(_BPF_JEQ, 0, 1, _CLONE3), _seccomp_return(_ENOSYS)]
        return [*steps, _seccomp_return(_EPERM)]

    def _seccomp_unless_executable(number: int) -> list[_SeccompStep]:
        return [
            _SeccompStep(_BPF_JEQ, 0, 4, number),
            _SeccompStep(_BPF_LD, 0, 0, _THIRD_AT),
            _SeccompStep(_BPF_JSET, 0, 1, _PROT_EXEC),
            _seccomp_return(_EPERM),
            _seccomp_return(_ALLOW),
        ]

    def _seccomp_signal_self(number: int) -> list[_SeccompStep]:
        """Allow a signal to this process only: abort() sends one."""
        return [
            _SeccompStep(_BPF_JEQ, 0, 4, number),
            _SeccompStep(_BPF_LD, 0, 0, _FIRST_AT),
            _SeccompStep(_BPF_JEQ, 0, 1, os.getpid()),
            _seccomp_return(_ALLOW),
            _seccomp_return(_EPERM),
        ]

    def _seccomp_return(verdict: int) -> _SeccompStep:
        return _SeccompStep(_BPF_RET, 0, 0, verdict)

else:  # pragma: no cover  the tests run on Linux

    def confine_worker() -> Confinement:
        """Block nothing: this system has neither Landlock nor seccomp."""
        return Confinement()
