#!/bin/sh
# Pin packages by hash again: requirements.txt, or pins/NAME.txt for NAME.
# In pins/NAME.in the line "# options:" is for uv; "# alone:" names packages to pin without what they need.
set -eu
.venv/bin/python -m pip install --quiet --disable-pip-version-check uv
pin() { .venv/bin/uv pip compile --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet "$@"; }
if [ $# = 0 ]; then
  pin --universal pyproject.toml --group dev --output-file requirements.txt
else
  pin $(sed -n 's/^# options: //p' "pins/$1.in") "pins/$1.in" --output-file "pins/$1.txt"
  sed -n 's/^# alone: //p' "pins/$1.in" | pin --no-deps --universal - >> "pins/$1.txt"
fi
