"""A page of myths, and a model that quotes it."""

from typing import Any

from webseam.kernel.features.evidence.gathering import text_hash
from webseam.ports.evidence import SourcePage

MYTHS = """# Ten myths about vaccines

## Autism

The study, which was retracted in 2010, links the vaccine to autism. That is a lie.

It is false that J. K. Rowling copied the whole story of the vaccine.

Do not:

- Give aspirin to children under 12.

  Nor anything like it.
  1. Not even a bit.
- - 5 degrees is too cold for a vaccine.

Prices of vaccines

| Plan | Basic | Team |
| --- | --- | --- |
| Old plans | | |
| Alpha | 49 | 59 |
| | 50 | 60 |

**A drawn heading**

Critics say:

The vaccine is a fraud in every way. Is the vaccine any good to us? Who is to say.

Run the vaccine checker:

```sh
check --vaccine *all*
```

Dose
: Half a millilitre of it.

Underlined
==========

> Quoted words of the doctor.
"""


def source(text: str, url: str = "https://a.example/", title: str = "T") -> SourcePage:
    return SourcePage(
        url=url,
        final_url=url,
        title=title,
        text=text,
        sha256=text_hash(text),
        read_on="2026-11-19",
        backend="b",
    )


def quoting(quote: str, claim: str = "", passage: str = "p1") -> dict[str, Any]:
    return {"quotes": [{"passage": passage, "quote": quote}], "claim": claim}
