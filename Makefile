# One command each. `make demo` and `make test` set up what is missing first; both need Python 3.13, and for the tests
# Java 17, Node.js with npm and (when there is no Prometheus on the PATH) apt or Homebrew.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

UV_VERSION := 0.13.9
UV := .tools/bin/uv
PYTHON ?= python3.13
BIN := .venv/bin
SAM := SAM_CLI_TELEMETRY=0 .venv-sam/bin/sam
ARCHITECTURE ?= arm64
CONFIG_ENV ?= default
JOBS ?= 2
SEEDS ?= 10000
REQUESTS ?= 100000
CASES ?= 10000

export UV_PYTHON_DOWNLOADS := never
export AWS_DEFAULT_REGION ?= us-west-2

# What the domain's rules are tested by, every branch of them, without anything else.
PURE := tests/unit tests/property

.PHONY: help setup demo test simulate access fuzz focus mutate openapi pictures dashboards grafana cluster-render check format bench build deploy requirements clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: .venv/.ready .venv-sam/.ready .cache/dynamodb-local/DynamoDBLocal.jar prometheus ## Install everything that the other commands need

$(UV):
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/.ready: $(UV) uv.lock pyproject.toml
	$(UV) sync --frozen --quiet --python $(PYTHON)
	@touch $@

.venv-sam/.ready: $(UV) uv.lock pyproject.toml
	UV_PROJECT_ENVIRONMENT=.venv-sam $(UV) sync --frozen --quiet --only-group sam --python $(PYTHON)
	@touch $@

# The validator pulls in pandas, polars, DuckDB and Arrow, and pins none of them: too much to share an environment with.
.venv-focus/.ready: $(UV)
	$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv-focus
	$(UV) pip install --quiet --python .venv-focus/bin/python --override tests/focus/overrides.txt 'focus-validator==2.2.1'
	@touch $@

.cache/dynamodb-local/DynamoDBLocal.jar: .venv/.ready
	@command -v java >/dev/null || { echo "Java 17 is missing: install a JRE, on Debian 'apt-get install openjdk-17-jre-headless'" >&2; exit 1; }
	$(BIN)/python -c 'from local.stack.dynamodb_local import install; install()'

.PHONY: prometheus
prometheus: .venv/.ready
	$(BIN)/python -c 'from local.stack.prometheus import find_or_install; find_or_install()'

demo: .venv/.ready prometheus ## Run the whole house on this machine, on recorded input
	$(BIN)/gpucost demo $(DEMO_ARGS)

test: setup check focus ## Everything that has to hold
	$(BIN)/pytest -n $(JOBS) --dist loadscope $(PURE) --cov=gpucost.domain --cov-branch --cov-fail-under=100 --cov-report=term-missing:skip-covered
	$(BIN)/pytest -n $(JOBS) --dist loadscope tests $(PURE:%=--ignore=%)

simulate: .venv/.ready ## Many simulated worlds in which everything goes wrong: make simulate SEEDS=10000
	$(BIN)/python -m tests.simulation --seeds $(SEEDS)

access: .venv/.ready ## Random requests by callers with different rights; nobody may get what is not theirs
	$(BIN)/python -m tests.access --requests $(REQUESTS)

fuzz: .venv/.ready ## Requests made up from openapi.json: make fuzz CASES=10000
	$(BIN)/python -m tests.fuzz --cases $(CASES)

focus: .venv/.ready .venv-focus/.ready ## Run the FinOps Foundation's validator over the FOCUS export (installs 520 MB)
	@mkdir -p dist
	$(BIN)/python -m tests.focus.export dist/focus.csv
	.venv-focus/bin/python tests/focus/validate.py dist/focus.csv

cluster-render: .venv/.ready ## Show the files of cluster/ with your values, or write them: make cluster-render VALUES=my.env OUT=my-cluster
	@$(BIN)/python -m local.cluster_render $(if $(VALUES),--values $(VALUES)) $(if $(OUT),--out $(OUT))

dashboards: .venv/.ready ## Write the Grafana dashboards anew
	$(BIN)/python -m local.dashboards

grafana: .venv/.ready ## Put data source and dashboards into a Grafana: make grafana GRAFANA_URL=… (GRAFANA_TOKEN, AMP_ENDPOINT, AWS_REGION)
	@$(BIN)/python -m local.grafana "$${GRAFANA_URL:?is missing}"

pictures: .venv/.ready ## Draw the pictures of the docs anew
	$(BIN)/python -m local.picture

openapi: .venv/.ready ## Write openapi.json anew from the routes
	$(BIN)/python -m functions.api > openapi.json.new
	mv openapi.json.new openapi.json

mutate: .venv/.ready ## Change the domain's rules piece by piece; count the changes that no test notices
	JOBS=$(JOBS) tests/mutation/run.sh

check: .venv/.ready .venv-sam/.ready ## Lint, formatting, types, borders, template
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy layers/gpucost/gpucost functions local tests
	PYTHONPATH=layers/gpucost:. $(BIN)/lint-imports
	$(SAM) validate --lint

format: .venv/.ready ## Put the code into its one form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## Measure against the budgets
	$(BIN)/python -m tests.bench.artifacts
	$(BIN)/python -m tests.bench.collect_hour
	$(BIN)/python -m tests.bench.api_month

build: .venv-sam/.ready layers/deps/requirements.txt ## Build the artifacts for Lambda
	PATH="$$($(BIN)/python -c 'import sys; print(sys.base_prefix)')/bin:$$PATH" $(SAM) build --config-env $(CONFIG_ENV) --parameter-overrides Architecture=$(ARCHITECTURE)

deploy: .venv-sam/.ready ## Deploy the stack: make deploy AMP_ENDPOINT=https://aps-workspaces.….amazonaws.com/workspaces/ws-…
	@[ -n "$${AMP_ENDPOINT:-}" ] || { echo "AMP_ENDPOINT is missing: aws amp describe-workspace --workspace-id ws-… --query workspace.prometheusEndpoint" >&2; exit 1; }
	@$(MAKE) build
	$(SAM) deploy --config-env $(CONFIG_ENV) --parameter-overrides AmpEndpoint="$$AMP_ENDPOINT" Architecture=$(ARCHITECTURE) $(PARAMETERS)

requirements: layers/deps/requirements.txt ## Pin the packages of the dependencies layer as uv.lock has them

layers/deps/requirements.txt: uv.lock $(UV)
	$(UV) export --frozen --quiet --no-dev --no-emit-project --no-header --no-annotate --output-file $@ >/dev/null

clean: ## Remove what the commands have made, except the environments
	rm -rf .aws-sam .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov mutants dist
