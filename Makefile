# PCT: build, test, install. Every target first asks scripts/need for the
# Debian packages it depends on.
#
#   make              build the commands into BIN (default bin)
#   make test         run all tests; those of scripts/unsteady last (scripts/test)
#   make fuzz         fuzz what reads data of others, for FUZZTIME seconds (scripts/fuzz)
#   make soak         reports of the largest data; the whole matrix and random harm, for SOAK minutes (soak/)
#   make check        formatting, static analysis, import table
#   make bench        cost of samples and reports, beside other tools (bench/)
#   make install      into PREFIX (default /usr/local), below DESTDIR if set
#   make uninstall    take away what install put there
#   make clean

BIN     = bin
PREFIX  = /usr/local
DESTDIR =
FUZZTIME = 180
SOAK    = 60
GO      = go
CC      = cc
CFLAGS  = -std=c11 -O2 -Wall -Wextra
INSTALL = install
# Building does not depend on git, nor on where it is done.
export GOFLAGS := $(GOFLAGS) -buildvcs=false
GOBUILD = -trimpath

COMMANDS    = dbctl pct pct-ring profile
# TOOLS and TRANSLATORS are links to one file, pct-tools, in BIN and where they are installed.
TOOLS       = pct-pr
# What our commands run, not people.
HELPERS     = pct-launch pct-tools
# What profile becomes has the same name (collector/launch/profile.c says why there are two), and `top` would hide top(1)
# if it stood in a bin directory: they live in libexec of BIN, installed in libexec/pct, where profile looks for filters too.
HELPERS_PRIVATE = profile
TRANSLATORS = pct-addr2line pct-addr2nm pct-disasm pct-gdbline
# Translators that are examples, too: scripts.
SCRIPTED    = pct-binutils pct-llvm-symbolizer
FILTERS     = int-avg int-hist quantile corr pct-merge pct-%
FILTERS_PRIVATE = top

# The libraries, to preload and to link.
LIBRARIES   = libpct.so libpctalloc.so libpctio.so libpct.a pct.o libpctprof.so libpctprof.a

bindir     = $(DESTDIR)$(PREFIX)/bin
libexecdir = $(DESTDIR)$(PREFIX)/libexec/pct
libdir     = $(DESTDIR)$(PREFIX)/lib/pct
incdir     = $(DESTDIR)$(PREFIX)/include
sharedir   = $(DESTDIR)$(PREFIX)/share/pct
lispdir    = $(DESTDIR)$(PREFIX)/share/emacs/site-lisp/pct
mandir     = $(DESTDIR)$(PREFIX)/share/man/man1
bashdir    = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir     = $(DESTDIR)$(PREFIX)/share/zsh/site-functions

all: need-build
	@mkdir -p $(BIN)
	@$(MAKE) --no-print-directory -C collector OUT=$(abspath $(BIN))/lib
	@rm -f $(FILTERS_PRIVATE:%=$(BIN)/%); mkdir -p $(BIN)/libexec
	$(CC) $(CFLAGS) -o $(BIN)/pct-launch collector/launch/launch.c
	$(CC) $(CFLAGS) -o $(BIN)/profile collector/launch/profile.c
	$(GO) build $(GOBUILD) -o $(BIN)/libexec/profile ./profile
	$(GO) build $(GOBUILD) -o $(BIN)/dbctl ./dbctl
	$(GO) build $(GOBUILD) -o $(BIN)/pct ./pct
	$(GO) build $(GOBUILD) -o $(BIN)/pct-ring ./collector/ring/pct-ring
	$(GO) build $(GOBUILD) -o $(BIN)/pct-tools ./tools
	@for f in $(TOOLS) $(TRANSLATORS); do ln -sf pct-tools $(BIN)/$$f || exit 1; done
	@for f in $(FILTERS); do \
		$(INSTALL) -m 755 scripts/$$f $(BIN)/$$f || exit 1; \
	done
	@for f in $(FILTERS_PRIVATE); do \
		$(INSTALL) -m 755 scripts/$$f $(BIN)/libexec/$$f || exit 1; \
	done
	@for f in $(SCRIPTED); do \
		$(INSTALL) -m 755 examples/translators/$$f $(BIN)/$$f || exit 1; \
	done

# Tests that build the libraries get them from BIN.
test: need-test
	@$(MAKE) --no-print-directory -j2 -C collector OUT=$(abspath $(BIN))/lib
	PCT_BUILT=$(abspath $(BIN))/lib PCT_CACHE=none GO='$(GO)' scripts/test ./...

fuzz: need-test
	FUZZTIME=$(FUZZTIME) GO='$(GO)' scripts/fuzz

soak: need-soak all
	$(GO) test -count=1 -timeout 1h ./pct -run TestSizes -args -whole
	$(GO) run ./soak -matrix -bin $(BIN) -minutes $(SOAK)

check: need-check
	@echo gofmt; fmt=$$(gofmt -l .) && if [ -n "$$fmt" ]; then \
		echo "not formatted (gofmt -w):"; echo "$$fmt"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	@echo deadcode; dead=$$($(GO) tool deadcode -test ./...) && if [ -n "$$dead" ]; then \
		echo "called by no command and no test:"; echo "$$dead"; exit 1; fi
	shellcheck $$(grep -slE '^#! */bin/sh' scripts/* examples/translators/* .ci/run) scripts/completion/pct.bash
	$(GO) test -count=1 -run 'Import|ThirdParty|TracerAlone' .

bench: all
	$(GO) run ./bench -bin $(BIN)

install: all
	$(INSTALL) -d $(bindir) $(libexecdir) $(libdir) $(incdir) $(sharedir) $(lispdir) $(mandir) $(bashdir) $(zshdir)
	for f in $(COMMANDS) $(FILTERS); do \
		$(INSTALL) -m 755 $(BIN)/$$f $(bindir) || exit 1; done
	for f in $(HELPERS) $(SCRIPTED) $(HELPERS_PRIVATE:%=libexec/%) $(FILTERS_PRIVATE:%=libexec/%); do \
		$(INSTALL) -m 755 $(BIN)/$$f $(libexecdir) || exit 1; done
	for f in $(TRANSLATORS); do ln -sf pct-tools $(libexecdir)/$$f || exit 1; done
	for f in $(TOOLS); do ln -sf ../libexec/pct/pct-tools $(bindir)/$$f || exit 1; done
	for f in $(LIBRARIES); do $(INSTALL) -m 644 $(BIN)/lib/$$f $(libdir) || exit 1; done
	$(INSTALL) -m 644 collector/pct.h $(incdir)
	$(INSTALL) -m 644 scripts/*.dbctl $(sharedir)
	$(INSTALL) -m 644 scripts/pct.el $(lispdir)
	$(INSTALL) -m 644 docs/man/*.1 $(mandir)
	for f in pct profile; do $(INSTALL) -m 644 scripts/completion/pct.bash $(bashdir)/$$f || exit 1; done
	$(INSTALL) -m 644 scripts/completion/_pct $(zshdir)

uninstall:
	for f in $(COMMANDS) $(TOOLS) $(FILTERS); do rm -f $(bindir)/$$f; done
	for f in docs/man/*.1; do rm -f $(mandir)/$${f##*/}; done
	rm -rf $(libexecdir) $(libdir) $(sharedir) $(lispdir)
	rm -f $(incdir)/pct.h $(bashdir)/pct $(bashdir)/profile $(zshdir)/_pct

clean:
	rm -rf $(BIN)

need-build need-test need-check need-soak:
	@scripts/need $(@:need-%=%)

.PHONY: all test fuzz soak check bench install uninstall clean need-build need-test need-check need-soak
