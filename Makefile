# Conveniences. Nothing here is needed: the README's two commands do all the set-up.
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help setup hooks example test quick lint format types layers bench pictures clean

help:  ## List these conveniences
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup:  ## Make .venv with the package and all that development needs
	python3 -m venv .venv
	$(BIN)/pip install -q -e '.[dev]'

hooks:  ## Check every commit before it is made
	$(BIN)/pre-commit install

example:  ## Protect the example survey; writes released.csv
	$(BIN)/microagg protect examples/business_survey.csv -k 3 -q employees,turnover,wages,assets --keep sector,insolvency_warning --drop rest -o released.csv

test:  ## Run all tests, the examples in the documentation, and all checks
	$(BIN)/pytest

quick:  ## Run the unit tests and the examples in the source, and stop at the first failure
	$(BIN)/pytest -x -q tests/unit src

lint:  ## Look for faults of style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format:  ## Mend the style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types:  ## Check the types
	$(BIN)/mypy

layers:  ## Check that imports go downwards only
	$(BIN)/lint-imports

bench:  ## Measure the speed beside quadratic loops, with smaller tables
	$(BIN)/python -m benchmarks.mdav --quick

pictures:  ## Draw the pictures of the documentation again
	$(BIN)/python docs/pictures/draw.py
	$(BIN)/python docs/pictures/draw_loss.py
	$(BIN)/python docs/pictures/draw_blocks.py

clean:  ## Remove caches and what was built; .venv stays
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
