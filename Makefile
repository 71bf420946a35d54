# Every target makes its own virtual environment and installs what it needs; none needs anything but Python and make.
# make PYTHON=python3.12 test     another Python
# make CONSTRAINTS= test          the newest releases instead of the tested ones
PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
PIP := $(RUN) pip install --quiet $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))
PROJECTS := packages/epochal/pyproject.toml packages/epochal-lab/pyproject.toml
# Bytecode is kept, whatever the shell says: each worker and each command under test would compile everything again.
export PYTHONDONTWRITEBYTECODE :=
# One thread a worker: torch in two workers on two cores is slower with two.
PYTEST := OMP_NUM_THREADS=1 $(RUN) pytest -m "not slow and not browser" -n auto --dist loadgroup

.PHONY: demo test test-lab test-backends test-browser test-slow test-chaos test-all coverage lint studies results docs wheels clean

demo: $(VENV)/.engine
	$(BIN)/epochal demo

# The lanes. An extra that is missing skips its tests with one line.
LAB := tests/lab/models tests/lab/systems tests/lab/tempo tests/lab/rag tests/lab/cli tests/lab/datasets/augment \
	tests/studies packages/epochal-lab/src/epochal_lab/models
BACKENDS := tests/backends tests/integrations tests/cli/test_mcp.py tests/server/test_workers.py tests/server/test_fuzz.py tests/server/test_load.py
CORE := $(addprefix --ignore=,$(LAB) $(BACKENDS) tests/server/browser)

test: lint $(VENV)/.test
	$(PYTEST) -p no:schemathesis $(CORE)

test-lab: $(VENV)/.lab
	$(PYTEST) $(LAB)

test-backends: $(VENV)/.backends
	$(PYTEST) $(BACKENDS)

# Playwright drives the Chromium of the system: nothing but packages is downloaded.
test-browser: $(VENV)/.browser
	@found="$$EPOCHAL_CHROMIUM$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"; \
	if [ -n "$$found" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation; \
	else \
		echo "the browser tests need Chromium: install the package chromium, or name one in EPOCHAL_CHROMIUM" >&2; exit 2; \
	fi
	EPOCHAL_BROWSER=required $(RUN) pytest tests/server/browser

test-slow: $(VENV)/.lab $(VENV)/.backends
	$(RUN) pytest -m slow tests packages

# Kills, damaged files, full disks and races of creation, each in a process of its own; a quarter of an hour of one core; --resume goes on.
# make CHAOS="--kills 100 --corruptions 200 --races 50" test-chaos    a part of it; CHAOS="--jobs 8": by 8 processes
test-chaos: $(VENV)/.lab
	$(BIN)/python studies/chaos.py $(CHAOS)

test-all: test test-lab test-backends test-browser test-slow

# Counting lines makes the tests take half as long again.
coverage: $(VENV)/.lab $(VENV)/.backends
	$(RUN) pytest -m "not slow and not browser" -n auto --dist loadgroup --cov --cov-report=term

lint: $(VENV)/.lint
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

studies: $(VENV)/.studies
	for file in studies/[a-z]*.py; do echo "== $$file" && $(BIN)/python $$file || exit 1; done

results: $(VENV)/.lab
	$(BIN)/python tools/make_results.py

docs: $(VENV)/.docs
	$(BIN)/python docs/make_figures.py
	$(BIN)/python docs/make_notebook.py
	$(BIN)/python tools/make_notebooks.py
	$(BIN)/python tools/make_cli_reference.py
	$(RUN) mkdocs build --strict

wheels: $(VENV)/.engine
	$(PIP) build
	$(BIN)/python tools/derive_tables.py
	for project in packages/epochal packages/epochal-lab; do $(RUN) build --wheel --outdir dist $$project || exit 1; done

clean:
	rm -rf packages/epochal/src/epochal/derived $(VENV) site build dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis packages/*/build

# A stamp for each set of packages: what is installed is renewed when its description changes.
$(VENV)/.base:
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --upgrade pip
	touch $@

$(VENV)/.engine: $(VENV)/.base packages/epochal/pyproject.toml
	$(PIP) --editable packages/epochal
	touch $@

$(VENV)/.packages: $(VENV)/.engine $(PROJECTS)
	$(PIP) --editable packages/epochal --editable packages/epochal-lab
	touch $@

$(VENV)/.%: $(VENV)/.packages pyproject.toml
	$(PIP) --group $*
	touch $@
