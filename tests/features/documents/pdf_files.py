"""PDF files made by hand."""

from tests.features.documents.build import raw_pdf

TABLE = "/Differences [ 1 /a 128 /f_f /f_f_i 134 /T_h /v.alt ]"


WRITTEN = r"(\206e e\200ort was o\201cial) Tj"


def paper(*more: str, encoding: str = "/Encoding 6 0 R", text: str = WRITTEN) -> bytes:
    """A page in a font that has such signs; ``more`` are the objects from the sixth on."""
    fonts = "/Resources << /Font << /F1 3 0 R >> >>"
    stream = f"BT /F1 12 Tf 72 720 Td {text} ET"
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            f"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Tide {encoding} >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {fonts} /Contents 5 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
            *more,
        ]
    )
