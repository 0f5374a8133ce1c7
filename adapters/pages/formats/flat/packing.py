"""Parts as the zip file that readers of documents take."""

import io
import zipfile
from collections.abc import Mapping


def packed(parts: Mapping[str, bytes]) -> bytes:
    """Return a zip file of parts by their names, without compression."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as package:
        for name, part in parts.items():
            package.writestr(zipfile.ZipInfo(name), part)
    return body.getvalue()
