# Two commands set everything up: `make demo` and `make test`. Both build their own .venv the first time and only then.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check
# Two processes fill two cores; more only load torch more often.
WORKERS ?= 2
BUILD_INPUTS := pyproject.toml requirements-dev.txt $(wildcard setup.py src/tensorcopy/*/*.c)

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types bench docs pictures format clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-8s %s\n", $$1, $$2}'

demo: $(VENV)/.installed ## set up, run the examples, show what came out
	$(RUN) examples/first_steps.py
	$(RUN) examples/which_way.py

test: $(VENV)/.developed ## set up, run all tests
	$(RUN) -m pytest -n $(WORKERS)

check: lint types test ## lint, types and tests

lint: $(VENV)/.developed ## ruff: rules and layout
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: $(VENV)/.developed ## mypy --strict
	$(RUN) -m mypy --strict

bench: $(VENV)/.developed ## measure on this machine (minutes)
	$(RUN) -m bench

docs: $(VENV)/.developed ## write the guide anew from the catalogue
	$(RUN) -m guide

pictures: $(VENV)/.developed ## draw the pictures of the README anew (a minute)
	$(RUN) scripts/pictures.py

format: $(VENV)/.developed ## let ruff lay out and mend what it can
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

clean: ## remove what the other targets built
	rm -rf $(VENV) build dist src/*.egg-info src/tensorcopy/conversion/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.torch: requirements-dev.txt
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 10) or sys.exit("tensorcopy needs Python 3.10 or newer; say PYTHON=... to make")'
	test -x $(RUN) || $(PYTHON) -m venv $(VENV)
	$(PIP) "$$(grep '^torch==' requirements-dev.txt)"
	touch $@

$(VENV)/.installed: $(VENV)/.torch $(BUILD_INPUTS)
	$(PIP) --constraint requirements-dev.txt --editable '.[torch]' pandas pillow
	touch $@

$(VENV)/.developed: $(VENV)/.torch $(BUILD_INPUTS)
	$(PIP) --requirement requirements-dev.txt --editable '.[torch]'
	touch $@ $(VENV)/.installed
