# A fresh machine needs git, make and Python 3.11 or newer. `make demo` shows the product, `make test` proves it.
#
# PYTHON=python3.12 takes another interpreter, with an environment of its own.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

ifdef PYTHON
  INTERPRETER := $(shell tools/find-python $(PYTHON))
  VENV ?= .venv-$(shell $(or $(INTERPRETER),false) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
else
  INTERPRETER = $(shell tools/find-python)
  VENV ?= .venv
endif

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
LOCK := requirements/dev.lock
SPARK_STAMP := $(VENV)/.spark
SPARK_LOCK := requirements/spark.lock
SEMANTIC_STAMP := $(VENV)/.semantic
SEMANTIC_LOCK := requirements/semantic.lock
INTEGRATIONS := $(VENV)-integrations
INTEGRATIONS_STAMP := $(INTEGRATIONS)/.installed
INTEGRATIONS_LOCK := requirements/integrations.lock
PROMPTFOO_LOCK := requirements/promptfoo/package-lock.json
BENCH := $(VENV)-bench
BENCH_STAMP := $(BENCH)/.installed
BENCH_LOCK := requirements/bench.lock
JOBS ?= 2
TESTS ?= tests
FUZZ_SECONDS ?= 120

say = @printf '\033[1m==> %s\033[0m\n' "$(1)"

.PHONY: help venv demo test test-fast test-kernels test-newer-git test-spark test-semantic test-integrations pytest lint fuzz ledger lock man picture bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS=$$'\t' read -r target what; do
	  printf '  make %-10s %s\n' "$$target" "$$what"
	done

$(STAMP): $(LOCK) pyproject.toml
	@python='$(INTERPRETER)'
	if [ -z "$$python" ]; then
	  echo 'Heldout needs Python 3.11 or newer. Name one: make PYTHON=/path/to/python3' >&2
	  exit 1
	fi
	printf '==> installing into %s (%s)\n' '$(VENV)' "$$("$$python" --version)"
	"$$python" -m venv '$(VENV)'
	export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
	'$(BIN)/python' -m pip install -qq --require-hashes -r $(LOCK)
	'$(BIN)/python' -m pip install -qq --no-deps --no-build-isolation --editable .
	touch '$@'

venv: $(STAMP) ## make the virtual environment from the lock

demo: $(STAMP) ## the main job on real data, in a minute
	@'$(BIN)/heldout' demo

test: lint pytest test-kernels ## everything: lint, types, layers, requirements, tests

lint: $(STAMP) ## format, lint, types, layers, requirement ledger
	$(call say,format and lint)
	@'$(BIN)/ruff' format --check --quiet . || { '$(BIN)/ruff' format --check .; exit 1; }
	'$(BIN)/ruff' check --quiet .
	$(call say,types)
	@'$(BIN)/mypy'
	$(call say,layers)
	@'$(BIN)/lint-imports' --no-logo 2>/dev/null || '$(BIN)/lint-imports'
	$(call say,requirement ledger)
	@'$(BIN)/python' -m tools.ledger --check

pytest: $(STAMP) ## the tests only
	$(call say,tests on $$('$(BIN)/python' --version))
	@'$(BIN)/pytest' -q -n $(JOBS) $(TESTS)

test-kernels: $(STAMP) ## matching once more, by compiled kernels however small the work
	$(call say,matching by compiled kernels)
	@HELDOUT_KERNELS=on '$(BIN)/pytest' -q -n $(JOBS) tests/matching

test-newer-git: $(STAMP) ## hooks and safety under a newer Git from Debian, unpacked aside; needs root
	@folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT
	PYTHON='$(BIN)/python' tools/newer-git get "$$folder"
	tools/newer-git run "$$folder" '$(BIN)/pytest' -q -n $(JOBS) -m 'not hook_files' tests/hooks tests/safety

test-fast: $(STAMP) ## the rules and methods only: no Git, no DVC, no documents
	@'$(BIN)/pytest' -q -n $(JOBS) tests/domain tests/matching

$(SPARK_STAMP): $(STAMP) $(SPARK_LOCK)
	@printf '==> installing pyspark into %s: half a gigabyte\n' '$(VENV)'
	export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
	'$(BIN)/python' -m pip install -qq --require-hashes -r $(SPARK_LOCK)
	touch '$@'

test-spark: $(SPARK_STAMP) ## the engine on Apache Spark, on this machine; needs Java 17 or 21
	$(call say,Spark on $$('$(BIN)/python' --version))
	@HELDOUT_SPARK=1 '$(BIN)/pytest' -q -n 0 tests/engines

$(SEMANTIC_STAMP): $(STAMP) $(SEMANTIC_LOCK)
	@printf '==> installing onnxruntime and a small model into %s\n' '$(VENV)'
	export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
	'$(BIN)/python' -m pip install -qq --require-hashes -r $(SEMANTIC_LOCK)
	touch '$@'

test-semantic: $(SEMANTIC_STAMP) ## paraphrase candidates by the real model, without a network; prints how good they are
	$(call say,the embedding model on $$('$(BIN)/python' --version))
	@HELDOUT_SEMANTIC=1 '$(BIN)/pytest' -q -n 0 tests/semantic
	'$(BIN)/python' benchmarks/semantic.py 300

# uv takes a minute for what takes pip five; npm is the one that the lock brings, since promptfoo wants a newer Node
# than distributions have.
$(INTEGRATIONS_STAMP): $(STAMP) $(INTEGRATIONS_LOCK) $(PROMPTFOO_LOCK) requirements/promptfoo/package.json
	@printf '==> installing harnesses into %s: two gigabytes\n' '$(INTEGRATIONS)'
	export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
	rm -rf '$(INTEGRATIONS)'
	'$(BIN)/python' -m venv '$(INTEGRATIONS)'
	python='$(INTEGRATIONS)/bin/python'
	'$(BIN)/uv' pip install --quiet --python "$$python" --require-hashes -r $(INTEGRATIONS_LOCK) ||
	  "$$python" -m pip install -qq --require-hashes -r $(INTEGRATIONS_LOCK)
	"$$python" -m pip install -qq --no-deps --no-build-isolation --editable .
	mkdir -p '$(INTEGRATIONS)/promptfoo'
	cp requirements/promptfoo/package.json $(PROMPTFOO_LOCK) '$(INTEGRATIONS)/promptfoo/'
	PATH="$$PWD/$(INTEGRATIONS)/bin:$$PATH" '$(INTEGRATIONS)/bin/npm' --prefix '$(INTEGRATIONS)/promptfoo' ci \
	  --omit=optional --ignore-scripts --force --no-audit --no-fund --loglevel=error
	touch '$@'

test-integrations: $(INTEGRATIONS_STAMP) ## the loaders under the harnesses themselves, without a network
	$(call say,harnesses on $$('$(INTEGRATIONS)/bin/python' --version))
	@HELDOUT_INTEGRATIONS=1 '$(INTEGRATIONS)/bin/pytest' -q -n $(JOBS) tests/integrations/test_with_*.py

fuzz: $(STAMP) ## fuzz readers and codecs for FUZZ_SECONDS (120), JOBS targets at a time
	@'$(BIN)/python' -m tools.fuzz --seconds $(FUZZ_SECONDS) --jobs $(JOBS)

ledger: $(STAMP) ## write docs/requirements.md from the markers on tests
	@'$(BIN)/python' -m tools.ledger

lock: $(STAMP) ## resolve requirements/*.lock again, one lock for every Python
	@for extra in dev bench spark semantic integrations; do
	  same=; case $$extra in spark | semantic) same='--constraint $(LOCK)' ;; esac
	  '$(BIN)/uv' pip compile $$same --quiet --universal --python-version 3.11 --extra $$extra --generate-hashes \
	    --no-emit-index-url --custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade) pyproject.toml \
	    -o requirements/$$extra.lock
	done

man: $(STAMP) ## write docs/man from the commands
	@'$(BIN)/python' -m tools.man_page

picture: $(STAMP) ## draw the picture in README.md from a run of the demo
	@'$(BIN)/python' -m tools.terminal_svg

$(BENCH_STAMP): $(BENCH_LOCK) pyproject.toml
	@python='$(INTERPRETER)'
	"$${python:?Heldout needs Python 3.11 or newer}" -m venv '$(BENCH)'
	export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
	# The lock is complete; pip would take the extra of typer that verascan asks for as one more, without a hash.
	'$(BENCH)/bin/python' -m pip install -qq --require-hashes --no-deps -r $(BENCH_LOCK)
	'$(BENCH)/bin/python' -m pip install -qq --no-deps --no-build-isolation --editable .
	touch '$@'

bench: $(BENCH_STAMP) ## measure everything, beside other libraries: half an hour; BENCH_ONLY="scan memory" for some
	@for name in $(or $(BENCH_ONLY),scan containment families cache memory growth slices results hooks limits page); do
	  printf '==> %s\n' "$$name"
	  '$(BENCH)/bin/python' "benchmarks/$$name.py"
	done

clean: ## remove environments, caches and builds
	@rm -rf .venv .venv-* dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
