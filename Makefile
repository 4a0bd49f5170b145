# The front door. Each target makes the environment itself (tools/bootstrap.py); nothing needs to be installed by hand
# but Python 3.11 to 3.13 with its venv module, and make.

.DEFAULT_GOAL := help
.PHONY: help env dev chat doctor test format check mutants clean

BIN := .venv/bin/python
# Which optional parts to install: `make test EXTRAS=all` for every one.
EXTRAS ?= offline
ARGS ?=
CUSTOMER ?= demo

help: ## say what there is
	@echo "make …"
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  %-9s %s\n", $$1, $$2}' Makefile

env: ## make the environment only
	@sh tools/bootstrap.sh $(EXTRAS)

dev: env ## start everything and serve the assistant (PORT=2024, RELOAD=1 to restart on edits)
	@exec $(BIN) -m tools.dev $(ARGS)

chat: env ## talk to the assistant in the terminal (CUSTOMER=demo)
	@exec $(BIN) -m graph chat --customer "$(CUSTOMER)" $(ARGS)

doctor: env ## say what is configured and whether it is sound
	@$(BIN) -m graph doctor $(ARGS)

test: env ## run the whole suite (ARGS="tests/graph -k journey" for a part)
	@$(BIN) -m pytest $(ARGS)

format: env ## put imports and layout in order
	@$(BIN) -m ruff check --fix --quiet --exit-zero && $(BIN) -m ruff format

check: env ## lint, types, import contracts, LangGraph's own validation
	@$(BIN) -m tools.check

mutants: env ## break the code in small ways and show that a named test catches each (ARGS=name for some)
	@$(BIN) -m tools.mutants $(ARGS)

clean: ## remove the environment and caches; keep .data and .env
	@rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info packages/*/src/*.egg-info
	@find . \( -name __pycache__ -o -name .ruff_cache \) -type d -prune -exec rm -rf {} +
