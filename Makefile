# Two commands on a fresh machine with Python >= 3.11: `make solve` and `make test`. `make` alone lists the others.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/pytest
# Two workers: compiled kernels are warmed up by one process first, so that workers never compile into one cache at once.
WORKERS ?= 2

.PHONY: help solve dev test check accept soak bench weights book serve page docs lock warm clean wheel

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

solve: $(VENV)/run.stamp  ## set up, then solve two real decisions
	@echo "A first deal, from the opening book:"
	@$(BIN)/bromeliad solve --cards "As Ah Kd 7c 2s" --top 5
	@echo "Street 3, every future deal counted:"
	@$(BIN)/bromeliad solve --cards "Kc 9d 3s" --board "Qd / 9c 4h / As Ac Ad 7h" --top 5
	@$(BIN)/bromeliad

dev: $(VENV)/dev.stamp  ## set up for development, without a test

test: $(VENV)/dev.stamp warm  ## set up, then run every test
	$(PYTEST) -n $(WORKERS) -m "not accept and not soak"
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(WORKERS) -m "kernel and not accept and not soak"
	NUMBA_BOUNDSCHECK=1 $(BIN)/bromeliad warmup
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -n $(WORKERS) -m "kernel and not accept and not soak"

check: $(VENV)/dev.stamp  ## style, types, layers, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python hatch_build.py check
	$(BIN)/mkdocs build --quiet --strict --site-dir $(VENV)/site

accept: $(VENV)/dev.stamp warm  ## the long acceptance runs (up to an hour)
	$(PYTEST) -n $(WORKERS) -m accept

soak: $(VENV)/dev.stamp warm  ## hours of use: memory under 20 clients, 300 kills (BROMELIAD_SOAK_MINUTES, BROMELIAD_SOAK_KILLS)
	$(PYTEST) -m soak -s

bench: $(VENV)/dev.stamp warm  ## measure everything and write benchmarks/RESULTS.md
	$(BIN)/bromeliad bench all --write

TRAINED := src/bromeliad/games/ofc/values/trained
weights: $(VENV)/dev.stamp warm  ## train what ships again (each set on one core, a quarter of an hour to an hour)
	$(BIN)/bromeliad train --rules pineapple --hands 20000000 --output $(TRAINED)/pineapple.npz
	$(BIN)/bromeliad train --rules pineapple --foul-cost 0 --fantasyland-worth 14=8 --hands 12000000 --output $(TRAINED)/pineapple-free.npz
	$(BIN)/bromeliad train --objective versus --rules pineapple --hands 400000 --output $(TRAINED)/pineapple-versus.npz
	$(BIN)/bromeliad train --rules progressive --hands 12000000 --output $(TRAINED)/progressive.npz
	$(BIN)/bromeliad train --objective versus --rules progressive --hands 200000 --output $(TRAINED)/progressive-versus.npz
	$(BIN)/bromeliad train --rules ultimate --hands 12000000 --output $(TRAINED)/ultimate.npz
	$(BIN)/bromeliad train --objective versus --rules ultimate --hands 200000 --output $(TRAINED)/ultimate-versus.npz

book: $(VENV)/dev.stamp warm  ## build the opening book that ships again (two hours on one core; goes on if it was stopped)
	$(BIN)/bromeliad book build --rules pineapple --seed 1 --simulations 3000 --playouts 0 --output $(VENV)/first.book
	$(BIN)/bromeliad book build --rules pineapple --seed 2 --simulations 4000 --playouts 4000 --output $(VENV)/second.book
	$(BIN)/bromeliad book merge $(VENV)/first.book $(VENV)/second.book --output src/bromeliad/games/ofc/book/shipped/pineapple.book

wheel: $(VENV)/dev.stamp page  ## a wheel for this system in dist/, with the page and kernels for all x86-64-v3 processors
	rm -rf src/bromeliad/core/ahead
	$(BIN)/bromeliad warmup --ahead
	BROMELIAD_PLATFORM_WHEEL=1 $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .
	rm -rf src/bromeliad/core/ahead

docs: $(VENV)/dev.stamp  ## the documentation as a site in ./site
	$(BIN)/mkdocs build --strict

serve: $(VENV)/run.stamp page  ## the service and its page
	$(BIN)/bromeliad serve

page: $(VENV)/run.stamp  ## build the page, if its source changed
	-@$(BIN)/python hatch_build.py

warm: $(VENV)/dev.stamp  ## compile every kernel, once on this machine
	$(BIN)/bromeliad warmup

lock:  ## pin the newest allowed versions (needs uv)
	uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml --extra plots --group build -o requirements/run.txt
	uv pip compile -q -U --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml --group dev -o requirements/dev.txt

clean:  ## remove the environment and the built documentation
	rm -rf $(VENV) site

$(BIN)/pip:
	$(PYTHON) -c 'import sys; sys.exit("Bromeliad needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: requirements/run.txt pyproject.toml | $(BIN)/pip
	@echo "Setting up $(VENV) (once, about half a minute) ..."
	$(PIP) install --require-hashes -r requirements/run.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt pyproject.toml examples/games/pyproject.toml | $(BIN)/pip
	@echo "Setting up $(VENV) for development (once, about a minute) ..."
	$(PIP) install --require-hashes -r requirements/dev.txt
	$(PIP) install --no-deps --no-build-isolation -e . -e examples/games
	@touch $@ $(VENV)/run.stamp
