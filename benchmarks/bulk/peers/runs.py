"""One reader's process: ``python -m benchmarks.bulk.peers.runs READER WARCS OUT PROCESSES``.

Each writes a dataset as its users would; the last line printed is how many rows it wrote, and how
many of them have text.
"""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any


def webseam(warcs: Path, out: Path, processes: int) -> tuple[int, int]:
    """By its command."""
    return _webseam(warcs, out, processes, "local")


def webseam_ray(warcs: Path, out: Path, processes: int) -> tuple[int, int]:
    return _webseam(warcs, out, processes, "ray")


def _webseam(warcs: Path, out: Path, processes: int, engine: str) -> tuple[int, int]:
    from webseam.composition.doors.cli.program import main

    files = [str(path) for path in sorted(warcs.glob("*.warc.gz"))]
    options = {"-o": out, "--workers": processes, "--per-shard": 100, "--engine": engine}
    words = [str(word) for pair in options.items() for word in pair]
    sys.argv = ["webseam", "bulk", "extract", *files, *words]
    if main():
        raise SystemExit(1)
    summary = json.loads((out / "_summary.json").read_bytes())
    return summary["rows"], summary["ok"]


def datatrove_text(warcs: Path, out: Path, processes: int) -> tuple[int, int]:
    """As its README has it."""
    return _datatrove(warcs, out, processes)


def datatrove_markdown(warcs: Path, out: Path, processes: int) -> tuple[int, int]:
    """With the same output as ours: markdown with links, and the page's metadata."""
    return _datatrove(
        warcs, out, processes, output_format="markdown", include_links=True, with_metadata=True
    )


def _datatrove(warcs: Path, out: Path, processes: int, **forms: Any) -> tuple[int, int]:
    """Its ``timeout`` is its own default, a second on the clock."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import ParquetWriter

    LocalPipelineExecutor(
        pipeline=[
            WarcReader(str(warcs), glob_pattern="*.warc.gz"),
            Trafilatura(favour_precision=True, **forms),
            ParquetWriter(str(out / "rows")),
        ],
        tasks=len(list(warcs.glob("*.warc.gz"))),
        workers=processes,
        logging_dir=str(out / "logs"),
    ).run()
    return _rows(out / "rows")


def ray_data(warcs: Path, out: Path, processes: int) -> tuple[int, int]:
    """A script as Ray's users write it: a file is a row, its records are made rows, then text."""
    import ray

    ray.init(
        address="local",
        num_cpus=processes,
        include_dashboard=False,
        object_store_memory=400 * 1024 * 1024,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
    )
    files = [str(path) for path in sorted(warcs.glob("*.warc.gz"))]
    dataset = ray.data.read_binary_files(files, include_paths=True)
    dataset.flat_map(_records).map(_text).write_parquet(str(out / "rows"))
    ray.shutdown()
    return _rows(out / "rows")


def _records(file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    import io

    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for record in ArchiveIterator(io.BytesIO(file["bytes"]), WarcRecordType.response):
        yield {"url": record.headers.get("WARC-Target-URI"), "html": record.reader.read()}


def _text(row: dict[str, Any]) -> dict[str, Any]:
    import trafilatura

    text = trafilatura.extract(row["html"], url=row["url"], output_format="markdown")
    return {"url": row["url"], "text": text or ""}


def _rows(folder: Path) -> tuple[int, int]:
    import pyarrow.parquet as pq

    rows = full = 0
    for path in folder.rglob("*.parquet"):
        texts = pq.ParquetFile(path).read(columns=["text"]).column("text").to_pylist()
        rows, full = rows + len(texts), full + sum(map(bool, texts))
    return rows, full


READERS: dict[str, Callable[[Path, Path, int], tuple[int, int]]] = {
    "webseam": webseam,
    "webseam on Ray": webseam_ray,
    "datatrove + trafilatura": datatrove_text,
    "datatrove + trafilatura, markdown": datatrove_markdown,
    "Ray Data + trafilatura": ray_data,
}

if __name__ == "__main__":
    name, source, target, count = sys.argv[1:]
    print(json.dumps(READERS[name](Path(source), Path(target), int(count))))
