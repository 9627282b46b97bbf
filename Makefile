# In a new checkout run `make up` or `make test`; `make help` lists the other targets.
STACK ?= dev
PYTHON ?= python3
PACK ?= all
ENVIRONMENT ?= $(if $(wildcard policies/config/$(PACK).$(STACK).json),$(STACK),tutorial)
SETTINGS = policies/config/$(PACK).$(ENVIRONMENT).json
PRICES ?=
# Any value: the report asks the cluster what runs. Leave it empty for a cluster in the simulator that replaces a real one.
RUNNING := yes
TRACE := $(wildcard traces/$(STACK).jsonl)
BASE := HEAD
REPORT := build/report
BIN := .venv/bin
TOOLS :=
TPU := $(BIN)/tpu
SIMULATOR := $(TPU) simulator
EXEC = $(SIMULATOR) exec $(if $(SPEED),--speed $(SPEED)) --

.PHONY: help up preview policies report drift refresh destroy down recover status watch explain stream \
	test test-fast test-simulator test-interfaces test-rules test-payloads test-engine test-control-plane test-systems test-endings test-official test-docs test-faults test-fuzz test-mutation lint style types types-of-program types-and-first-tests first-tests style-and-fast-tests tests-of-rules venv browser tools all-tools older-controllers official-plugin built-tools suitable-python bench lock clean
.DEFAULT_GOAL := help

# Every command starts several Python processes. Without stored bytecode, each would compile the same modules again.
unexport PYTHONDONTWRITEBYTECODE

# Folders of tests with their own lane; the fast lane does not collect them.
SIMULATION := simulator kubeapi migrate record stream toolchain watch
INTERFACES := adopt docs outputs package tpu
LANES := $(SIMULATION) $(INTERFACES) policies lint payloads engine rehearsal control_plane systems endings faults walkthroughs official
# The fast lane checks the types of these; the lane of the rules checks the types of everything else, including the tests.
PROGRAM := __main__.py components package policies
# The program of the batch-ml workloads; it has its own requirements, because it has its own image.
TRAINER := examples/trainer/payloads/fraud_detection

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{printf "  make %-20s %s\n", $$1, $$2}'

up: SPEED ?= auto
up: tools ## Bring up STACK in the simulator, follow its workloads, print the timeline and their results
	@$(TPU) up $(STACK) --speed $(SPEED)

preview: tools ## Sum up what `up` would do to STACK: resources, what ends, chips and cost; DIFF=1 shows every property
	@$(TPU) preview $(STACK) $(if $(DIFF),--diff)

policies: tools ## Preview STACK and check it against every rule; PACK and ENVIRONMENT name another pack and configuration
	@echo "the limits of the environment are in $(SETTINGS)"
	@$(EXEC) pulumi preview --suppress-outputs --stack $(STACK) --policy-pack policies/$(PACK) --policy-pack-config $(SETTINGS)

# The preview is first, because it makes a missing stack. If it fails, the report says why.
report: tools ## Write a report of the preview of STACK to build/report/; PACK and ENVIRONMENT as above, PRICES names a price table, TRACE a record of jobs
	@mkdir -p $(REPORT)
	@PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true $(EXEC) pulumi preview --json --non-interactive --stack $(STACK) \
		--policy-pack policies/$(PACK) --policy-pack-config $(SETTINGS) \
		> $(REPORT)/$(STACK).events || true
	@$(EXEC) pulumi stack export --stack $(STACK) > $(REPORT)/$(STACK).state
	@$(if $(RUNNING),$(EXEC) tpu running --stack $(STACK) > $(REPORT)/$(STACK).running || true)
	@$(if $(TRACE),$(TPU) rehearse --stack $(STACK) --trace $(TRACE) --base $(BASE) --format json \
		> $(REPORT)/$(STACK).rehearsal || true)
	@$(TPU) report $(REPORT)/$(STACK).events --state $(REPORT)/$(STACK).state --stack $(STACK) \
		--stack-file Pulumi.$(STACK).yaml $(if $(RUNNING),--running $(REPORT)/$(STACK).running) $(if $(TRACE),--rehearsal $(REPORT)/$(STACK).rehearsal) \
		$(if $(PRICES),--prices $(PRICES)) --markdown $(REPORT)/$(STACK).md --html $(REPORT)/$(STACK).html

drift: tools ## List the differences between STACK and its declaration, without the expected ones
	@mkdir -p $(REPORT)
	@PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true $(EXEC) pulumi refresh --preview-only --json --non-interactive \
		--stack $(STACK) > $(REPORT)/$(STACK).refresh
	@$(TPU) drift $(REPORT)/$(STACK).refresh --stack $(STACK)

refresh: tools ## Read the current resources of STACK into its state
	@$(EXEC) pulumi refresh --yes --suppress-outputs --stack $(STACK)

destroy: tools ## Remove all resources of STACK
	@$(TPU) destroy $(STACK)

recover: tools ## Repair STACK after an update was killed; then `make up`
	@$(TPU) recover $(STACK)

status: venv ## Show what runs in the simulator
	@$(SIMULATOR) status

watch: tools ## Show queues, quota, nodes and Workloads of STACK every two seconds
	@$(EXEC) tpu watch --watch --stack $(STACK)

explain: tools ## Say why JOB (a Job, JobSet or Workload of STACK) waits
	@$(EXEC) tpu explain $(if $(JOB),$(JOB),$(error which job? make explain JOB=name)) --stack $(STACK)

stream: tools ## Submit a Job per team to STACK (such as batch-teams) every ten seconds until Ctrl-C; STREAM adds flags
	@$(EXEC) tpu stream --stack $(STACK) $(STREAM)

down: venv ## End the simulator
	@$(SIMULATOR) down

# Types are checked once, while the fast tests and then those of the payloads keep the other core busy.
test: ## Run the lanes below up to test-control-plane, and print the seconds of each
	@set -e; took=; begun=$$(date +%s); \
	for lane in types-and-first-tests test-simulator test-interfaces tests-of-rules all-tools test-engine test-control-plane; do \
		before=$$(date +%s); $(MAKE) --no-print-directory $$lane; took="$$took, $$lane $$(($$(date +%s) - before)) s"; \
	done; echo "lanes: $${took#, }; together $$(($$(date +%s) - begun)) s"

test-fast: venv ## Test the program: lint, import rules, types and tests
	@$(MAKE) --no-print-directory --jobs=2 types-of-program style-and-fast-tests

# Three at a time, for these tests wait for processes and sockets.
test-simulator: venv browser ## Test the simulator and the commands for clusters; builds one small tool
	$(BIN)/pytest --numprocesses=3 $(addprefix tests/,$(SIMULATION))

test-interfaces: venv ## Test the interfaces for other programs and the documents: outputs, package, adoption, docs
	$(BIN)/pytest --numprocesses=2 $(addprefix tests/,$(INTERFACES))

test-rules: venv ## Test the rules over objects (policies and lint), and check the types of everything
	@$(MAKE) --no-print-directory --jobs=2 types tests-of-rules

test-payloads: venv ## Test the program of the batch-ml workloads with a real Redis server
	$(BIN)/pytest --numprocesses=2 tests/payloads

# Two files at a time: each has its own simulator, engine and state.
test-engine: all-tools ## Test with the real Pulumi engine, and rehearsals with Kueue's real scheduler
	$(BIN)/pytest tests/engine tests/rehearsal --numprocesses=2 --dist=loadfile --no-loadscope-reorder

# Three simulators at a time on every machine: they wait more than they compute. The folder's conftest.py says which files
# share one, and which are first: those with a few long tests must not run last.
test-control-plane: older-controllers ## Test with real control planes
	$(BIN)/pytest tests/control_plane --numprocesses=3 --dist=loadfile --no-loadscope-reorder

test-systems: all-tools ## Test every other stack from the first preview to `down`, on real control planes (not in `test`)
	$(BIN)/pytest tests/systems --numprocesses=3 --dist=loadfile --no-loadscope-reorder

test-endings: all-tools ## Compare what the report says each of many changes ends with what ends, on real control planes (not in `test`)
	$(BIN)/pytest tests/endings --numprocesses=2 --dist=loadfile --no-loadscope-reorder

# PARTS chooses parts. Without PLUGINS it builds the one official plugin that a module proxy serves.
test-official: $(if $(PLUGINS),all-tools,official-plugin) ## Compare the stand-ins with official plugins: the kubernetes plugin that it builds, or those of PLUGINS, a PULUMI_HOME (not in `test`)
	$(BIN)/python -m tests.official $(or $(PLUGINS),-) $(PARTS)

test-docs: all-tools ## Run every command of every document, on control planes if needed (most are not in `test`)
	$(BIN)/pytest tests/docs tests/engine/test_documents.py tests/walkthroughs

# Two processes share the rounds, each with its own simulators. SEED chooses other moments, ONLY chooses rounds by name.
test-faults: all-tools ## Break processes, files and resources, then `recover` and `up`; SEED and ONLY choose faults (not in `test`)
	SEED=$(SEED) $(BIN)/pytest tests/faults --numprocesses=2 --dist=worksteal $(if $(ONLY),-k "$(ONLY)")

test-fuzz: venv ## Test ten thousand generated stack files, manifests and sets of resources (`test` runs a few hundred)
	$(BIN)/pytest -m fuzz --hypothesis-profile=thorough --numprocesses=2 tests/policies tests/lint

test-mutation: venv ## Change the rules over objects in thousands of ways and check that a test fails; RULES names modules (not in `test`)
	$(BIN)/python -m tests.mutation $(RULES)

lint: style types ## Check lint, types and import rules

style: venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

types: venv
	$(BIN)/pyright

types-of-program: venv
	$(BIN)/pyright $(PROGRAM)

types-and-first-tests: venv
	@$(MAKE) --no-print-directory --jobs=2 types first-tests

first-tests: style-and-fast-tests
	@$(MAKE) --no-print-directory test-payloads

tests-of-rules: venv
	$(BIN)/pytest --numprocesses=2 tests/policies tests/lint

style-and-fast-tests: style
	$(BIN)/pytest -p no:xdist $(foreach lane,$(LANES),--ignore=tests/$(lane))

bench: tools ## Measure time and memory of the program and the simulator; SUBJECTS names some of plan, preview, stacks, fleet, first-run
	@$(BIN)/python -m bench $(SUBJECTS)

# The toolchain needs only Python, so it builds tools while the environment is made.
tools: ## Build the missing pinned tools that `up` needs
	@$(MAKE) --no-print-directory --jobs=2 venv built-tools

all-tools: ## Build all missing pinned tools, including those that only tests and documents need
	@$(MAKE) --no-print-directory --jobs=2 venv built-tools TOOLS=--all

built-tools: suitable-python
	@$(PYTHON) -m simulator.toolchain build $(TOOLS)

# Built after all other tools, because it shares their libraries.
older-controllers: all-tools ## Build every tool, and the older Kueue and JobSet from which the upgrade is tested
	@$(PYTHON) -m simulator.toolchain build older-kueue older-jobset

official-plugin: all-tools ## Build every tool, and Pulumi's own kubernetes plugin
	@$(PYTHON) -m simulator.toolchain build pulumi-resource-kubernetes

# Make renews the environment when the lock file is newer. pip installs uv, uv installs the packages.
venv: .venv/installed
# An environment that came with a copy of a folder runs the code of the folder where it was made. COPIED_FROM names it then.
COPIED_FROM := $(shell made=$$(sed -nE 's/^command = .* -m venv( --[a-z-]+)* //p' .venv/pyvenv.cfg 2>/dev/null); \
	[ -z "$$made" ] || [ "$$made" = "$$(cd .venv && pwd -P)" ] || echo "$$made")
ifneq ($(COPIED_FROM),)
.PHONY: .venv/installed
endif
.venv/installed: requirements-dev.txt requirements-uv.txt pyproject.toml | suitable-python
	@$(if $(COPIED_FROM),echo "removing .venv: it is a copy of $(COPIED_FROM) and runs the code there"; rm -rf .venv)
	@echo "making .venv from requirements-dev.txt"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.txt requirements-uv.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# The browser that looks at pages in tests; it is larger than everything else together.
browser: .venv/browser
.venv/browser: requirements-browser.txt .venv/installed
	@echo "adding a browser from requirements-browser.txt"
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements-browser.txt
	@touch $@

suitable-python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or later is needed: set PYTHON to it"; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Python 3.11 or later is needed, {v[0]}.{v[1]} found: set PYTHON to a newer one")'

lock: ## Update the requirements files to pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra simulator \
		--custom-compile-command "make lock" -o requirements.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -c requirements.txt -o $(TRAINER)/requirements.txt $(TRAINER)/requirements.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --extra simulator --extra dev \
		--custom-compile-command "make lock" -c requirements.txt -c $(TRAINER)/requirements.txt -o requirements-dev.txt pyproject.toml
	echo uv | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -o requirements-uv.txt -
	echo PySide6-WebEngine | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" -o requirements-browser.txt -

clean: ## Remove the environment, reports and caches from this folder
	rm -rf .venv build/report build/timeline .hypothesis .pytest_cache .ruff_cache .import_linter_cache
