# Every target makes its own virtual environment and installs what it needs; none needs anything but Python and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m

.PHONY: demo test coverage test-slow test-browser bench lint docs clean

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
	$(RUN) pytest -m "not slow and not browser" -n auto --dist loadgroup

# Counting lines makes the tests take half as long again.
coverage: $(VENV)/.test
	$(RUN) pytest -m "not slow and not browser" -n auto --dist loadgroup --cov --cov-report=term

test-slow: $(VENV)/.test
	$(RUN) pytest -m slow

# Playwright drives the Chromium of the system: nothing but packages is downloaded.
$(VENV)/.browser: $(VENV)/.base
	$(RUN) pip install --quiet --editable ".[serve]" pytest hypothesis playwright axe-playwright-python
	touch $@

test-browser: $(VENV)/.browser
	@found="$$EPOCHAL_CHROMIUM$$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)"; \
	if [ -n "$$found" ]; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation; \
	else \
		echo "the browser tests need Chromium: install the package chromium, or name one in EPOCHAL_CHROMIUM" >&2; exit 2; \
	fi
	EPOCHAL_BROWSER=required $(RUN) pytest tests/service/browser

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
