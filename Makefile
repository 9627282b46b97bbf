# `make up` and `make test` are all that a new checkout needs; the rest is listed by `make help`.
STACK ?= dev
PYTHON ?= python3
PACK ?= all
ENVIRONMENT ?= $(if $(wildcard policies/config/$(PACK).$(STACK).json),$(STACK),tutorial)
SETTINGS = policies/config/$(PACK).$(ENVIRONMENT).json
PRICES ?=
REPORT := build/report
# Where the workloads of a stack with shared storage leave what people want to see.
RESULTS := output
BIN := .venv/bin
TOOLS :=
SIMULATOR := $(BIN)/python -m simulator
EXEC = $(SIMULATOR) exec $(if $(SPEED),--speed $(SPEED)) --

.PHONY: help up preview policies report drift refresh destroy down recover status watch explain stream \
	test test-fast test-simulator test-interfaces test-rules test-payloads test-engine test-control-plane test-systems test-official test-docs test-faults test-fuzz test-mutation lint style types types-of-program style-and-fast-tests tests-of-rules venv tools all-tools older-controllers built-tools suitable-python bench lock clean
.DEFAULT_GOAL := help

# Folders of tests that have a lane of their own; the fast lane does not even read them.
SIMULATION := simulator kubeapi migrate stream toolchain watch
INTERFACES := adopt docs outputs package
LANES := $(SIMULATION) $(INTERFACES) policies lint payloads engine control_plane systems faults walkthroughs official
# What the fast lane checks the types of; those of all else, the tests among it, are checked beside the rules.
PROGRAM := __main__.py components package policies
# What the batch-ml workloads run; it has requirements of its own, as it goes into an image of its own.
TRAINER := payloads/fraud_detection

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-20s %s\n", $$1, $$2}'

up: SPEED ?= auto
up: tools ## Bring up STACK in the simulator, follow its workloads, print the timeline and what they reported
	@$(EXEC) pulumi up --yes --suppress-outputs --stack $(STACK)
	@$(EXEC) python -m operations.watch --stack $(STACK) --until-settled
	@$(SIMULATOR) files $(RESULTS) --stack $(STACK)

preview: tools ## Show what `up` would do to STACK
	@$(EXEC) pulumi preview --diff --suppress-outputs --stack $(STACK)

policies: tools ## Hold what `up` would do to STACK against every rule; PACK and ENVIRONMENT choose others
	@echo "what the environment decides is in $(SETTINGS)"
	@$(EXEC) pulumi preview --suppress-outputs --stack $(STACK) --policy-pack policies/$(PACK) --policy-pack-config $(SETTINGS)

# The preview comes first: it makes the stack where there is none. A preview that fails is what the report is for.
report: tools ## Report what `up` would do to STACK, in build/report/; PACK, ENVIRONMENT and PRICES choose others
	@mkdir -p $(REPORT)
	@PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true $(EXEC) pulumi preview --json --non-interactive --stack $(STACK) \
		--policy-pack policies/$(PACK) --policy-pack-config $(SETTINGS) \
		> $(REPORT)/$(STACK).events || true
	@$(EXEC) pulumi stack export --stack $(STACK) > $(REPORT)/$(STACK).state
	@$(BIN)/python -m policies.report $(REPORT)/$(STACK).events --state $(REPORT)/$(STACK).state --stack $(STACK) \
		--stack-file Pulumi.$(STACK).yaml \
		$(if $(PRICES),--prices $(PRICES)) --markdown $(REPORT)/$(STACK).md --html $(REPORT)/$(STACK).html

drift: tools ## Tell what of STACK is not as declared, apart from what is expected to move
	@mkdir -p $(REPORT)
	@PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true $(EXEC) pulumi refresh --preview-only --json --non-interactive \
		--stack $(STACK) > $(REPORT)/$(STACK).refresh
	@$(BIN)/python -m policies.drift $(REPORT)/$(STACK).refresh --stack $(STACK)

refresh: tools ## Compare STACK with what is really there
	@$(EXEC) pulumi refresh --yes --suppress-outputs --stack $(STACK)

destroy: tools ## Remove everything that STACK made
	@$(EXEC) pulumi destroy --yes --stack $(STACK)

recover: tools ## Repair STACK after an update was killed; then `make up`
	@$(SIMULATOR) recover --stack $(STACK)

status: venv ## What runs in the simulator
	@$(SIMULATOR) status

watch: tools ## Queues, quota, nodes and Workloads of STACK, every two seconds
	@$(EXEC) python -m operations.watch status --watch --stack $(STACK)

explain: tools ## Why JOB (a Job, JobSet or Workload of STACK) waits
	@$(EXEC) python -m operations.watch explain $(if $(JOB),$(JOB),$(error which job? make explain JOB=name)) --stack $(STACK)

stream: tools ## Submit a Job per team to STACK every ten seconds until Ctrl-C; STREAM takes more flags
	@$(EXEC) python -m operations.stream --stack $(STACK) $(STREAM)

down: venv ## End the simulator
	@$(SIMULATOR) down

test: ## Run every test, and tell what each lane took
	@set -e; took=; begun=$$(date +%s); \
	for lane in test-fast test-simulator test-interfaces test-rules test-payloads all-tools test-engine test-control-plane; do \
		before=$$(date +%s); $(MAKE) --no-print-directory $$lane; took="$$took, $$lane $$(($$(date +%s) - before)) s"; \
	done; echo "lanes: $${took#, }; together $$(($$(date +%s) - begun)) s"

test-fast: venv ## Lint, import rules, and the program: its types and its tests, side by side
	@$(MAKE) --no-print-directory --jobs=2 types-of-program style-and-fast-tests

test-simulator: venv ## The simulator and what stands beside it, without a built tool
	$(BIN)/pytest --numprocesses=2 $(addprefix tests/,$(SIMULATION))

test-interfaces: venv ## What other programs and people meet: outputs, the package, adoption, documents
	$(BIN)/pytest --numprocesses=2 $(addprefix tests/,$(INTERFACES))

test-rules: venv ## The rules over objects: node pools, queues, workloads that anybody wrote; and the types of everything
	@$(MAKE) --no-print-directory --jobs=2 types tests-of-rules

test-payloads: venv ## What the batch-ml workloads run: a real Redis server, workers that are killed and stopped
	$(BIN)/pytest --numprocesses=2 tests/payloads

# Two files at a time: each has a simulator, an engine and a state of its own.
test-engine: all-tools ## The tests with the real Pulumi engine
	$(BIN)/pytest tests/engine --numprocesses=2 --dist=loadfile --no-loadscope-reorder

# Three files at a time, whatever the machine: they wait more than they compute. Files of few long tests are not kept for last.
test-control-plane: older-controllers ## The tests with real control planes
	$(BIN)/pytest tests/control_plane --numprocesses=3 --dist=loadfile --no-loadscope-reorder

test-systems: all-tools ## Every other stack from its first preview to its last trace, on real control planes (no part of `test`)
	$(BIN)/pytest tests/systems --numprocesses=3 --dist=loadfile --no-loadscope-reorder

test-official: $(if $(PLUGINS),all-tools,venv) ## Compare the stand-ins with the official plugins in PLUGINS, a PULUMI_HOME (no part of `test`)
	@$(BIN)/python -m tests.official $(if $(PLUGINS),$(PLUGINS) $(PARTS))

test-docs: all-tools ## Every command of every document, on control planes where it needs one (most of it no part of `test`)
	$(BIN)/pytest tests/docs tests/engine/test_documents.py tests/walkthroughs

# The halves go to two processes, each with simulators of its own. SEED chooses other moments, ONLY rounds by their names.
test-faults: all-tools ## Kill, starve and break what runs and what is kept, then `recover` and `up`; SEED and ONLY choose (no part of `test`)
	SEED=$(SEED) $(BIN)/pytest tests/faults --numprocesses=2 --dist=worksteal $(if $(ONLY),-k "$(ONLY)")

test-fuzz: venv ## Ten thousand generated stack files, manifests and sets of resources (no part of `test`, which runs some hundred)
	$(BIN)/pytest -m fuzz --hypothesis-profile=thorough --numprocesses=2 tests/policies tests/lint

test-mutation: venv ## Change the rules over objects in thousands of ways: does a test fail? RULES names modules (no part of `test`)
	$(BIN)/python -m tests.mutation $(RULES)

lint: style types ## Lint, types and import rules alone

style: venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: venv
	$(BIN)/pyright

types-of-program: venv
	$(BIN)/pyright $(PROGRAM)

tests-of-rules: venv
	$(BIN)/pytest --numprocesses=2 tests/policies tests/lint

style-and-fast-tests: style
	$(BIN)/pytest -p no:xdist $(foreach lane,$(LANES),--ignore=tests/$(lane))

bench: tools ## Measure what the program and the simulator cost
	@$(BIN)/python -m bench

# The toolchain needs nothing but Python itself, so that tools are built while the environment is made.
tools: ## Build the pinned tools that `up` needs and that are missing
	@$(MAKE) --no-print-directory --jobs=2 venv built-tools

all-tools: ## Build every pinned tool that is missing, also those that only some tests and documents need
	@$(MAKE) --no-print-directory --jobs=2 venv built-tools TOOLS=--all

built-tools: suitable-python
	@$(PYTHON) -m toolchain build $(TOOLS)

# After all others, whose libraries it shares as far as it can.
older-controllers: all-tools ## Build every tool, and the older releases of Kueue and JobSet that an upgrade is tried from
	@$(PYTHON) -m toolchain build older-kueue older-jobset

# The environment is made anew when the lock file is newer than it. uv installs it, pip installs uv.
venv: .venv/installed
.venv/installed: requirements-dev.txt requirements-uv.txt pyproject.toml | suitable-python
	@echo "making .venv from requirements-dev.txt"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	@$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements-dev.txt requirements-uv.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

suitable-python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or later is needed: set PYTHON to it"; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Python 3.11 or later is needed, {v[0]}.{v[1]} found: set PYTHON to a newer one")'

lock: ## Bring the requirements files up to pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -o requirements.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -c requirements.txt -o $(TRAINER)/requirements.txt $(TRAINER)/requirements.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra dev \
		--custom-compile-command "make lock" -c requirements.txt -c $(TRAINER)/requirements.txt -o requirements-dev.txt pyproject.toml
	echo uv | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -o requirements-uv.txt -

clean: ## Remove what commands left in this folder
	rm -rf .venv build/report .hypothesis .pytest_cache .ruff_cache .import_linter_cache
