"""The page that most faults are told with."""

from typing import Final

HTML: Final = "text/html; charset=utf-8"
JSON: Final = "application/json"
PAGE: Final = (
    b"<!doctype html><html lang=en><head><title>Fine page</title></head><body><main>"
    b"<h1>Fine page</h1><p>The quick brown fox jumps over the lazy dog. MARKER-OK</p>"
    b"</main></body></html>"
)
