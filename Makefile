# Every target makes its own virtual environment and installs what it needs; none needs anything but Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m

.PHONY: demo test test-slow bench lint docs clean

# An environment a stamp: what is installed is renewed when pyproject.toml changes.
$(VENV)/.base: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(RUN) pip install --quiet --upgrade pip
	$(RUN) pip install --quiet --editable .
	touch $@

$(VENV)/.%: $(VENV)/.base
	$(RUN) pip install --quiet --editable ".[$*]"
	touch $@

demo: $(VENV)/.base
	$(BIN)/epochal demo

test: lint $(VENV)/.test
	$(RUN) pytest -m "not slow" -n auto --cov --cov-report=term

test-slow: $(VENV)/.test
	$(RUN) pytest -m slow

lint: $(VENV)/.lint
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

bench: $(VENV)/.bench
	for file in benchmarks/[a-z]*.py; do echo "== $$file" && $(BIN)/python $$file || exit 1; done

docs: $(VENV)/.docs
	$(BIN)/python docs/make_figures.py
	$(RUN) mkdocs build --strict

clean:
	rm -rf $(VENV) site build dist .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
