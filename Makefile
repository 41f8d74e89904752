# Tsubame: everything that is done with the sources. `make demo` and `make test` need only Swift and make.
PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
TRAITS = --enable-all-traits
# SwiftPM passes the names of traits in the order of a set, which is another one in each process, and would build all of our
# modules anew for it.
STEADY = SWIFT_DETERMINISTIC_HASHING=1
FORMATTED = Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources Benchmarks/InServer/Package.swift Benchmarks/InServer/Sources Benchmarks/Search/Package.swift Benchmarks/Search/Sources

.PHONY: all setup setup-test demo test unit portable consumer counts tool smoke shell-lines install format lint docs start-up recording kills sanitize soak fuzz mutate bench httpie compare-httpbin \
    conformance har clean

all: tool

## Installs what is missing, or says exactly what to install.
setup:
	@Scripts/build/setup.sh

setup-test:
	@Scripts/build/setup.sh test

## Does the five origins' jobs against the embedded server.
demo: setup
	$(STEADY) $(SWIFT) build $(TRAITS) --product tsubame-demo
	$(STEADY) $(SWIFT) run $(TRAITS) tsubame demo

## Everything that decides whether a change lands. Ends with the test runner's own line.
test: setup-test consumer smoke shell-lines compare-httpbin conformance har docs demo unit

unit:
	$(STEADY) $(SWIFT) build $(TRAITS) --build-tests
	@SWIFT=$(SWIFT) Scripts/check/check-portable-modules.sh
	@SWIFT=$(SWIFT) Scripts/check/unit.sh

## Compiles the code for systems that are not here: Apple's, and WebAssembly without NIO, dispatch and locks.
portable: setup-test
	$(STEADY) $(SWIFT) build $(TRAITS)
	@SWIFT=$(SWIFT) Scripts/check/check-portable-modules.sh

## A package that uses only product Tsubame: what it resolves is committed, and its counts are thresholds.
consumer: setup-test
	@Scripts/consumer/check-consumer.sh
	@Scripts/consumer/check-no-engine.sh

counts: setup-test
	@Scripts/measure/check-counts.sh

## The tool with the Swift runtime linked statically. No other program needs its symbols, which are a tenth of its size.
tool: setup
	$(SWIFT) build $(TRAITS) -c release --product tsubame --static-swift-stdlib --scratch-path .build-static \
	    -Xlinker --no-export-dynamic

smoke: tool
	@Scripts/check/smoke.sh .build-static/release/tsubame

## Every shell line of README and the articles, run with its hosts mapped to servers of this machine.
shell-lines: tool
	@python3 Scripts/check/check-shell.py .build-static/release/tsubame

install: tool
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 .build-static/release/tsubame "$(DESTDIR)$(PREFIX)/bin/tsubame"
	strip "$(DESTDIR)$(PREFIX)/bin/tsubame"
	install -d "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	    "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	"$(DESTDIR)$(PREFIX)/bin/tsubame" --generate man > "$(DESTDIR)$(PREFIX)/share/man/man1/tsubame.1"
	for command in run fmt convert from-curl bench watch upload cookies cache serve demo; do \
	    "$(DESTDIR)$(PREFIX)/bin/tsubame" --generate man $$command > "$(DESTDIR)$(PREFIX)/share/man/man1/tsubame-$$command.1" || exit; done
	"$(DESTDIR)$(PREFIX)/bin/tsubame" --generate bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/tsubame"
	"$(DESTDIR)$(PREFIX)/bin/tsubame" --generate zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tsubame"
	"$(DESTDIR)$(PREFIX)/bin/tsubame" --generate fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tsubame.fish"

format:
	$(SWIFT) format format --in-place --parallel --recursive $(FORMATTED)

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(FORMATTED)
	@Scripts/lint/check-house.sh
	@Scripts/lint/check-systems.sh
	@python3 Scripts/lint/check-rooms.py
	@python3 Scripts/lint/check-samples.py
	@python3 Scripts/tables/cache-table.py --check
	@python3 Scripts/lint/check-hostile-input.py
	@python3 Scripts/lint/check-prose.py

## The documentation as a site, in .build-docs/site; a link that leads nowhere is an error.
docs: setup
	@SWIFT=$(SWIFT) Scripts/build/docs.sh

## Whether the tool starts as fast as curl: medians of interleaved runs, by the clock.
start-up: tool
	@python3 Scripts/measure/start-up.py .build-static/release/tsubame --limit 1.15

## A recording of the tool for the README, from a real run.
recording: tool
	@python3 Scripts/build/record.py .build-static/release/tsubame Documentation/tool.svg

## Processes killed while they write cookies, responses and downloads: 200 of each. Results are kept in Tests/RESULTS.md.
kills: setup-test
	$(STEADY) $(SWIFT) build $(TRAITS) --build-tests
	TSUBAME_KILLS=200 $(SWIFT) test $(TRAITS) --skip-build --disable-xctest --filter StoreToolTests
	python3 Scripts/check/kill-downloads.py .build/debug/tsubame 200

## The tests once under each sanitizer. Results are kept in Tests/SANITIZERS.md.
sanitize: setup-test
	@Scripts/check/sanitize.sh thread address

## Long runs under faults and load (Tests/Soak), 100,000 requests to a server that closes idle connections at random, and a
## body that takes a minute. Results are kept in Tests/RESULTS.md.
soak: setup-test
	$(STEADY) $(SWIFT) build $(TRAITS) -c release --product Soak --scratch-path .build-soak
	$(STEADY) $(SWIFT) build $(TRAITS) --build-tests
	$(STEADY) TSUBAME_SOAK=100000 $(SWIFT) test $(TRAITS) --skip-build --disable-xctest --filter RandomCloseTests
	python3 Scripts/check/soak-tool.py .build/debug/tsubame
	@Scripts/check/soak.sh

## HTTPie's own tests, run against the tool; ten minutes. The result is kept in Tests/RESULTS.md.
httpie: tool
	@python3 Scripts/check/httpie/suite.py .build-static/release/tsubame

## Breaks one line at a time and asks whether the tests notice; two hours. Results are kept in Tests/RESULTS.md.
mutate: setup-test
	@python3 Scripts/check/mutate.py

## Searches for inputs that break the promises of Tests/Fuzz, SECONDS for each target; two targets at once on two cores.
SECONDS ?= 60
fuzz: setup-test
	@SECONDS_EACH=$(SECONDS) Scripts/check/fuzz.sh

## Tsubame beside its peers, over all workloads: half an hour; the first time as long again to build them.
bench: setup
	python3 Benchmarks/run.py --write Benchmarks/RESULTS.md

## Our httpbin beside PyPI's, by value; skipped where PyPI cannot be reached.
compare-httpbin: setup-test tool
	@python3 Scripts/check/httpbin/compare-httpbin.py --tool .build-static/release/tsubame || { status=$$?; \
	    [ $$status = 75 ] && echo "skipped: PyPI's httpbin cannot be had"; }

## Third-party suites against the tool; skipped where they are not there. Their scores may only rise.
conformance: setup-test tool
	@python3 Scripts/check/conformance.py .build-static/release/tsubame

## The inspector's archives, judged by a schema of HAR 1.2 and by haralyzer; skipped where PyPI cannot be reached.
har: setup-test tool
	@python3 Scripts/check/archives/check-har.py .build-static/release/tsubame

clean:
	rm -rf .build .build-docs .build-fuzz .build-mutate .build-soak .build-static .build-tsan .build-asan Benchmarks/.build .build-no-engine
