"""Start a browser in its own network, whose only exit is a listener that the parent holds.

It runs without site-packages: ``python -I -S launcher.py CHANNEL WALL USER PROGRAM FLAG``.
A socket belongs to the network in which it was made. So the listener is made here and passed to
the parent over the unix socket ``CHANNEL``: the parent's proxy accepts on it, nothing copies bytes
in between, and no other process of the machine can reach it. ``{port}`` in a flag becomes its port.

``WALL`` is ``namespace``, or ``fence`` where no namespace can be made. ``USER`` is the id of the
user to become, or ``-``. Standard input and output are the browser's pipe.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import array
import ctypes
import os
import socket
import struct
import sys
from pathlib import Path

# https://man7.org/linux/man-pages/man2/unshare.2.html (read 2026-11-15)
_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_SIOCSIFFLAGS, _IFF_UP_RUNNING = 0x8914, 0x1 | 0x40
_PR_SET_NO_NEW_PRIVS = 38
# Landlock: https://docs.kernel.org/userspace-api/landlock.html (read 2026-11-15)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION, _NETWORK_ABI = 1, 4
_ACCESS_NET_TCP, _ACCESS_NET_CONNECT_TCP, _RULE_NET_PORT = 0b11, 0b10, 2
# seccomp: the architecture, and the numbers of socket() and seccomp() on it.
_MACHINES = {"x86_64": (0xC000003E, 41, 317), "aarch64": (0xC00000B7, 198, 277)}
_BPF_LD, _BPF_AND, _BPF_JEQ, _BPF_JGE, _BPF_RET = 0x20, 0x54, 0x15, 0x35, 0x06
_RET_KILL_PROCESS, _RET_ALLOW, _RET_EACCES = 0x80000000, 0x7FFF0000, 0x00050000 | 13
_NR_OFFSET, _ARCH_OFFSET, _ARG0_OFFSET, _ARG1_OFFSET = 0, 4, 16, 24
_X32_SYSCALL_BIT, _IO_URING_SETUP = 0x40000000, 425
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 2, 10, 16, 1, 0xF


def launch_walled_browser() -> None:
    """Build the walls, pass the listener on, wait for the start signal, become the browser."""
    number, wall, user, program, *flags = sys.argv[1:]
    channel = socket.socket(fileno=int(number))
    libc = ctypes.CDLL(None, use_errno=True)
    if wall == "namespace":
        _enter_network_namespace(libc)
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    port = listener.getsockname()[1]
    protection = "namespace" if wall == "namespace" else _fence_network(libc, port)
    rights = array.array("i", [listener.fileno()])
    channel.sendmsg([protection.encode()], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    listener.close()
    # The parent first puts this process into its memory group.
    if not channel.recv(1):
        sys.exit(1)
    channel.close()
    _place_pipe()
    if user != "-":
        user_id = int(user)
        os.setgroups([])
        os.setresgid(user_id, user_id, user_id)
        os.setresuid(user_id, user_id, user_id)
    _execute_browser(program, [flag.replace("{port}", str(port)) for flag in flags], user)


def _enter_network_namespace(libc: ctypes.CDLL) -> None:
    """Enter a new network with only loopback. Raises OSError where the system refuses."""
    import fcntl  # only on Linux

    user, group = os.geteuid(), os.getegid()
    if user != 0 or libc.unshare(_CLONE_NEWNET) != 0:
        if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        # Map the user to itself: as root in the namespace, Chromium would refuse its sandbox.
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    # Ubuntu grants the namespace but removes its rights (AppArmor): then this fails.
    start_loopback = struct.pack("16sH14x", b"lo", _IFF_UP_RUNNING)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, start_loopback)


def _fence_network(libc: ctypes.CDLL, port: int) -> str:
    """Allow TCP to one port only (Landlock) and no datagrams (seccomp); return what is active."""
    if sys.platform != "linux" or libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return "none"
    walls = [("tcp", _allow_one_tcp_port(libc, port)), ("udp", _refuse_datagrams(libc))]
    return "+".join(name for name, is_active in walls if is_active) or "none"


def _allow_one_tcp_port(libc: ctypes.CDLL, port: int) -> bool:
    """Restrict only the network: with file rules, Chromium's sandbox could not mount."""
    version = libc.syscall(
        _CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_CREATE_RULESET_VERSION)
    )
    if version < _NETWORK_ABI:
        return False
    rights, none = struct.pack("=QQ", 0, _ACCESS_NET_TCP), ctypes.c_uint(0)
    ruleset = libc.syscall(_CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), none)
    rule = struct.pack("=QQ", _ACCESS_NET_CONNECT_TCP, port)
    added = libc.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_NET_PORT), rule, none)
    return bool(added == 0 and libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), none) == 0)


def _refuse_datagrams(libc: ctypes.CDLL) -> bool:
    machine = os.uname().machine
    if machine not in _MACHINES or struct.calcsize("P") != 8:  # noqa: PLR2004  bytes: 64 bits
        return False
    architecture, socket_call, seccomp = _MACHINES[machine]
    # (code, steps to skip if true, if false, operand)
    steps = (
        (_BPF_LD, 0, 0, _ARCH_OFFSET),
        (_BPF_JEQ, 1, 0, architecture), (_BPF_RET, 0, 0, _RET_KILL_PROCESS),
        (_BPF_LD, 0, 0, _NR_OFFSET),
        (_BPF_JGE, 0, 1, _X32_SYSCALL_BIT), (_BPF_RET, 0, 0, _RET_KILL_PROCESS),
        # io_uring can make sockets too.
        (_BPF_JEQ, 0, 1, _IO_URING_SETUP), (_BPF_RET, 0, 0, _RET_EACCES),
        (_BPF_JEQ, 1, 0, socket_call), (_BPF_RET, 0, 0, _RET_ALLOW),
        (_BPF_LD, 0, 0, _ARG0_OFFSET),
        (_BPF_JEQ, 0, 1, _AF_UNIX), (_BPF_RET, 0, 0, _RET_ALLOW),
        (_BPF_JEQ, 0, 1, _AF_NETLINK), (_BPF_RET, 0, 0, _RET_ALLOW),
        (_BPF_JEQ, 2, 0, _AF_INET), (_BPF_JEQ, 1, 0, _AF_INET6), (_BPF_RET, 0, 0, _RET_EACCES),
        (_BPF_LD, 0, 0, _ARG1_OFFSET), (_BPF_AND, 0, 0, _SOCK_TYPE_MASK),
        (_BPF_JEQ, 0, 1, _SOCK_STREAM), (_BPF_RET, 0, 0, _RET_ALLOW),
        (_BPF_RET, 0, 0, _RET_EACCES),
    )  # fmt: skip
    packed = b"".join(struct.pack("=HBBI", *step) for step in steps)
    code = ctypes.create_string_buffer(packed, len(packed))
    filters = struct.pack("=H6xQ", len(steps), ctypes.addressof(code))
    return bool(libc.syscall(seccomp, ctypes.c_uint(1), ctypes.c_uint(0), filters) == 0)


def _place_pipe() -> None:
    """Put the pipe on 3 and 4, where a browser looks for it."""
    import fcntl  # not on Windows

    nowhere = os.open(os.devnull, os.O_RDWR)
    # The copies get numbers above both targets.
    pipe = [fcntl.fcntl(number, fcntl.F_DUPFD, 10) for number in (0, 1)]
    for number, copy in zip((3, 4), pipe, strict=True):
        os.dup2(copy, number)
        os.close(copy)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)


def _execute_browser(program: str, flags: list[str], user: str) -> None:
    try:
        os.execv(program, [program, *flags])  # noqa: S606  no shell needed
    except OSError as error:
        problem = f"its sandbox is not for root, and user {user} cannot run " if user != "-" else ""
        sys.exit(f"{problem}{program}: {error.strerror}")


if __name__ == "__main__":
    launch_walled_browser()
