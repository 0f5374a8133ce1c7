"""A stand-in for a browser: reads DevTools commands at 3, and answers at 4 from a script.

The script maps a command to what is done when it comes: ``{"answer": ...}`` answers it, or the one
named by ``to``, and ``{"refusal": ...}`` refuses it; ``{"get": url}`` asks the proxy for something, with the password it was given;
``{"raw": ...}`` sends bytes of any kind, ``{"say": ...}`` writes to stderr, ``{"exit": true}`` ends
at once; all else is sent as it is. Lists inside the list are taken in turn, the last for ever. A
command that is not in the script is answered with nothing.
"""

import base64
import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Browser:
    def __init__(self, script: dict[str, Any], flags: list[str]) -> None:
        self.script = script
        self.numbers: dict[str, int] = {}
        self.password = ""
        address = next(flag for flag in flags if flag.startswith("--proxy-server="))
        self.port = int(address.rpartition(":")[2])

    def on_command(self, command: dict[str, Any]) -> None:
        method = command["method"]
        self.numbers[method] = command["id"]
        given = command["params"].get("authChallengeResponse", {})
        if "password" in given:
            self.password = f"{given['username']}:{given['password']}"
        steps = self.script.get(method, [{"answer": {}}])
        if steps and isinstance(steps[0], list):
            steps = steps.pop(0) if len(steps) > 1 else steps[0]
        for step in steps:
            self.do(step, method)

    def do(self, step: dict[str, Any], method: str) -> None:
        if "answer" in step:
            send({"id": self.numbers[step.get("to", method)], "result": step["answer"]})
        elif "refusal" in step:
            send({"id": self.numbers[method], "error": {"message": step["refusal"]}})
        elif not self.misbehave(step):
            send(step)

    def misbehave(self, step: dict[str, Any]) -> bool:
        if "exit" in step:
            os._exit(1)
        elif "say" in step:
            os.write(2, step["say"].encode())
        elif "raw" in step:
            write_all(step["raw"].encode())
        elif "get" in step:
            self.get(step["get"])
        else:
            return False
        return True

    def get(self, url: str) -> None:
        pair = base64.b64encode(self.password.encode()).decode()
        head = f"GET {url} HTTP/1.1\r\nProxy-Authorization: Basic {pair}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.port)) as proxy:
            proxy.sendall(head.encode())
            while proxy.recv(65536):
                pass


def send(message: dict[str, Any]) -> None:
    write_all(json.dumps(message).encode() + b"\0")


def write_all(message: bytes) -> None:
    while message:
        message = message[os.write(4, message) :]


def commands() -> Iterator[dict[str, Any]]:
    waiting = b""
    while piece := os.read(3, 65536):
        *whole, waiting = (waiting + piece).split(b"\0")
        yield from map(json.loads, whole)


def main() -> None:
    path = Path(sys.argv[1])
    browser = Browser(json.loads(path.read_bytes()), sys.argv[2:])
    with path.with_name("told.jsonl").open("w", encoding="utf-8") as told:
        for command in commands():
            told.write(json.dumps(command) + "\n")
            told.flush()
            browser.on_command(command)


if __name__ == "__main__":
    main()
