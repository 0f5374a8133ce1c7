"""The local index beside bm25s and tantivy, bare and with rows to show, in one run.

    python -m benchmarks.index [FOLDER] [--passages N] [--alone] [--language TAG] [--json FILE]

FOLDER is a test collection in BEIR's layout (corpus.jsonl, queries.jsonl, qrels/test.tsv), or pages
laid out as WCXB is: those are asked for by their titles. Without one, a collection of N passages is
made up: good for speed and size, less so for quality, which depends on real words and real
questions. Each engine runs in a process of its own.
"""

import argparse
import json
import math
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.index.collection import Collection, load, make
from benchmarks.index.engines import ENGINES

_DEPTH = 10


def ndcg(ranked: list[str], relevant: dict[str, int]) -> float:
    def gain(grades: list[int]) -> float:
        return sum((2.0**grade - 1) / math.log2(at + 2) for at, grade in enumerate(grades))

    ideal = gain(sorted(relevant.values(), reverse=True)[:_DEPTH])
    return gain([relevant.get(each, 0) for each in ranked[:_DEPTH]]) / ideal if ideal else 0.0


def measure(engine: str, collection: Collection, language: str = "") -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        base, began, worked = _memory(), time.perf_counter(), time.process_time()
        search = ENGINES[engine](collection.documents, Path(folder), language)
        added, spent = time.perf_counter() - began, time.process_time() - worked
        memory = _memory() - base
        times, busy, scores = [], [], []
        for number, query in collection.queries:
            began, worked = time.perf_counter(), time.process_time()
            ranked = search(query)
            times.append(time.perf_counter() - began)
            busy.append(time.process_time() - worked)
            scores.append(ndcg(ranked, collection.relevant[number]))
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return {
        "passages_per_second": len(collection.documents) / added,
        "passages_per_cpu_second": len(collection.documents) / spent,
        "query_ms_median": statistics.median(times) * 1000,
        "query_cpu_ms_median": statistics.median(busy) * 1000,
        "query_ms_95th": sorted(times)[int(len(times) * 0.95)] * 1000,
        "memory_mib": memory,
        "disk_mib": size / 2**20,
        "ndcg_at_10": statistics.mean(scores),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument(
        "--language", default="en", help="of the texts; of the peers only bm25s asks"
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        collection = load(options.folder) if options.folder else make(options.passages)
        print(json.dumps(measure(options.engine, collection, options.language)))
        return
    arguments = [str(options.folder)] if options.folder else ["--passages", str(options.passages)]
    arguments += ["--language", options.language] if options.language else []
    figures = {name: _run(name, arguments) for name in (["webseam"] if options.alone else ENGINES)}
    _show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))


def _run(engine: str, arguments: list[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.index", *arguments, "--engine", engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _show(figures: dict[str, dict[str, float]]) -> None:
    rows = list(next(iter(figures.values())))
    print(f"{'':<24}" + "".join(f"{name:>14}" for name in figures))
    for row in rows:
        print(f"{row:<24}" + "".join(f"{each[row]:>14,.3f}" for each in figures.values()))


def _memory() -> float:
    """Return the most memory this process has had, in MiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


if __name__ == "__main__":
    main()
