#!/bin/sh
# Install the wheel of .envs/wheel into .wheel/venv, without the sources, and write its bill of materials.
set -eu
rm -rf .wheel
cp -r .envs/wheel .wheel
"${PYTHON:-python3}" -m venv --without-pip .wheel/venv
# A path file shows the environment what .venv has installed, but not our sources: Python reads no
# path file that another one leads to.
.venv/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > .wheel/packages.pth
mv .wheel/packages.pth .wheel/venv/lib/python*/site-packages
.wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check --ignore-installed --no-deps .wheel/*.whl
.wheel/venv/bin/python packaging/release/bom.py .wheel/*.whl .wheel/webseam.cdx.json
cd .wheel
venv/bin/webseam demo > demo.txt
venv/bin/python -c "import sys, webseam; assert webseam.__file__.startswith(sys.prefix); webseam.web_search"
