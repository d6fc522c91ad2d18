# Two commands on a fresh machine: `make demo` shows the tool, `make test` proves it.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

# Most of the time: random runs, mutants, damaged files. They go side by side with all others.
LONG := tests/test_metrics_against_oracle.py tests/mutation tests/fuzz

.PHONY: demo test test-long test-others browser lint docs screenshots wheel clean

demo: $(VENV)/installed
	$(BIN)/pypto-perfetto metrics traces/flash_stitch512

test: $(VENV)/installed-dev browser
	@echo "Ten minutes; what a part of the tests printed is shown at its end."
	$(MAKE) --jobs=2 --output-sync=target test-long test-others

test-long:
	$(BIN)/pytest $(LONG)

test-others:
	$(BIN)/pytest $(LONG:%=--ignore=%)

# The browser of tests/ui, and a font for Chinese labels.
browser:
	@command -v chromium >/dev/null || \
	  (apt-get update -q && apt-get install -qy --no-install-recommends chromium fonts-noto-cjk)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/installed-dev
	$(BIN)/pypto-perfetto metrics --list --format markdown -o sql_metrics/README.md
	$(BIN)/python -m tests.docs.render README.md

screenshots: $(VENV)/installed-dev
	$(BIN)/python -m tests.ui.screenshots .ci/cache/screenshots tests/ui/flash_stitch512.webp

wheel: $(VENV)/installed-dev
	$(BIN)/python -m build --outdir dist .

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install -q -e .
	touch $@

$(VENV)/installed-dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install -q -e '.[dev]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
