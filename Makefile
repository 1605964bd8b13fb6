# ptxas, ptxvm, libptxvm. Everything built goes to build/; generated files are never committed.
#
#   make demo    install what is missing, build, run the main job
#   make test    the same, and pass the tests that a change can reach; ALL=1: all tests (make check is the same)
#   make         build only          make lint san bench fuzz vscode install clean
#
# Variables: CC, CFLAGS (optimisation), DEBUG (debug information), PREFIX, DESTDIR, PTXAS_NAME, SAN (address,undefined | thread);
# V=1 shows whole commands instead of a line a file. Other CC, CFLAGS, DEBUG, SAN or LEVELS than the last time build again.

MAKEFLAGS += --no-builtin-rules
# All cores, unless the command line says -j N. Goals that call make again, or clean, share files with others.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
ifneq ($(and $(word 2,$(MAKECMDGOALS)),$(filter test check demo san lint bench install clean,$(MAKECMDGOALS))),)
.NOTPARALLEL:
endif
.SUFFIXES:
CC      := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CFLAGS  ?= -O2
# Lines and names for backtraces; DEBUG=-g3 for a debugger that is to show variables (a fifth more to compile).
DEBUG   ?= -g1
PREFIX  ?= /usr/local
B       ?= build

# Before a command: its short line instead of the command, unless V=1.
do = $(if $(filter-out 0,$(V)),,@printf '  %-6s %s\n' $1 '$(@:$(B)/%=%)' && )
STARTED := $(shell date +%s.%N)
# How many objects this run has made under the folders, which of the files, and how long it took.
built = @awk -v from=$(STARTED) -v to="$$(date +%s.%N)" -v n="$$(find $1 -name '*.o' -newermt @$(STARTED) | wc -l)" \
        -v made="$$(find $2 -newermt @$(STARTED) | sed 's,^$(B)/,,' | tr '\n' ' ')" \
        'BEGIN { printf "$(B): %d objects in %.1f s; %s\n", n, to - from, made }'

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
       -Wwrite-strings -Wundef -Wvla -Wno-missing-field-initializers
BASE = -std=gnu17 -pipe $(DEBUG) -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -fwrapv -pthread \
       -Iinclude -Ilib -I$(B) $(WARN) $(WERROR)
ALL_CFLAGS = $(BASE) $(CFLAGS) $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
LDFLAGS += $(if $(SAN),-fsanitize=$(SAN))
LIBS = -lffi -lm -ldl -pthread
TOOL_LIBS = -lpng -ljansson -liberty

GEN = $(B)/gen
GEN_HEADERS = $(addprefix $(GEN)/isa_,words.h ops.h handler_ops.h sregs.h messages.h)
# libcuda.so.1, the driver face, over libptxvm.
CUDA_SRC = $(wildcard lib/cuda/driver/*.c)
CUDA_OBJ = $(CUDA_SRC:%.c=$(B)/obj/%.o)
CUDA_LIBS = -lzstd -llz4
# libcudart: RT_RELEASE and the library's name.
RT_SONAMES = 11:libcudart.so.11.0 12:libcudart.so.12 13:libcudart.so.13
RT_OBJ = $(patsubst lib/cuda/runtime/%.c,$(B)/rt-$1/%.o,$(wildcard lib/cuda/runtime/*.c))
RT_LIBS = $(foreach r,$(RT_SONAMES),$(B)/lib/$(lastword $(subst :, ,$r)))
# Compiled once a SIMD level, below.
LEVEL_SRC = lib/ops/handlers_fixed.c lib/ops/atom_rows.c lib/ops/mma_product.c lib/approx/rows.c lib/tex/rows.c
LIB_SRC = $(filter-out $(LEVEL_SRC) lib/cuda/%,$(wildcard lib/*/*.c lib/*/*/*.c))
LIB_OBJ = $(LEVEL_OBJ) $(LIB_SRC:%.c=$(B)/obj/%.o) $(GEN)/isa_tables.o $(GEN)/ptx_lexer.o $(GEN)/ptx_parser.o

# The handlers are compiled once a SIMD level: the files that isagen writes, handlers_fixed.c, atom_rows.c, mma_product.c,
# the texture unit. So are the approximate units, which have one level more. The level is chosen at run time. "make LEVELS=avx512"
# (after a clean) builds one level only, in a third of the time.
ARCH := $(shell uname -m)
ifeq ($(ARCH),x86_64)
LEVELS = portable avx2 avx512
UNIT_LEVELS = portable avx2 avx512 avx512vbmi
# Only CPUs without AVX2 take this level here: it is compiled in half the time so, handlers that are not hot in a third.
LEVEL_OPT_portable = -O1
COOL_OPT_portable = -Og
UNIT_OPT_portable = $(if $(SAN),,-O2)
else
LEVELS = portable
UNIT_LEVELS = portable
endif
LEVEL_FLAGS_portable =
LEVEL_FLAGS_avx2 = -mavx2 -mfma -mf16c -mbmi2
LEVEL_FLAGS_avx512 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mfma -mf16c -mbmi2 -mprefer-vector-width=512
LEVEL_FLAGS_avx512vbmi = $(LEVEL_FLAGS_avx512) -mavx512vbmi -mavx512vnni
# A family of rows (`family` lines of the tables) has files of its own, so that a new row changes one of them.
FAMILIES := $(shell sed -n 's/^family \([a-z]*\).*/\1/p' grammar/isa*.tbl | sort -u)
HOT_FAMILIES := $(shell sed -n 's/^family \([a-z]*\) hot$$/\1/p' grammar/isa*.tbl | sort -u)
HOT_FILES = $(HOT_FAMILIES:%=hot_%) fused
COOL_FILES = $(FAMILIES) table
HANDLER_FILES = $(HOT_FILES) $(COOL_FILES)
HANDLER_SRC = $(HANDLER_FILES:%=$(GEN)/handlers_%.c) $(FAMILIES:%=$(GEN)/handlers_alone_%.c)
# Those that take longest first: they are started in this order, and the last ones decide when all are done.
LEVEL_OBJ = $(LEVELS:%=$(B)/obj/lib/ops/handlers_fixed_%.o) $(UNIT_LEVELS:%=$(B)/obj/lib/approx/rows_%.o) $(LEVELS:%=$(B)/obj/lib/tex/rows_%.o) \
            $(FAMILIES:%=$(GEN)/alone/handlers_alone_%.o) $(LEVELS:%=$(B)/obj/lib/ops/mma_product_%.o) $(LEVELS:%=$(B)/obj/lib/ops/atom_rows_%.o) \
            $(foreach l,$(LEVELS),$(HANDLER_FILES:%=$(GEN)/$l/handlers_%.o))
# (no -frounding-math: it keeps gcc from vectorising fma; no statement relies on a folded rounding)
HANDLER_CFLAGS = -O3 -fno-trapping-math $(LINES)
# Their loops begin at cache lines: one that crosses a line it could do without is up to a fifth slower, and which ones do changes
# with every edit elsewhere. (Those that are not hot do without.)
LINES = -falign-functions=64 -falign-loops=64
# What -O3 does beyond vectors gains these nothing (measured), and costs time: loads and stores, which unroll by themselves where it
# pays, and the approximate units where their vectors are written out.
VECTORS_ONLY = -O2 -ftree-vectorize -fvect-cost-model=dynamic -fno-tree-slp-vectorize
FIXED_OPT = $(if $(SAN),,$(VECTORS_ONLY) -fno-gcse -fno-tree-pre -fno-schedule-insns2)
# Handlers that are not [hot] in the table: vectors, and little else, in two thirds of the time.
COOL_OPT = $(if $(SAN),,-O1 -fipa-icf -fstrict-aliasing -ftree-vectorize -fvect-cost-model=dynamic -fno-tree-slp-vectorize)
UNIT_OPT_avx512 = $(if $(SAN),,-O2)
UNIT_OPT_avx512vbmi = $(UNIT_OPT_avx512)

TOOLS = $(B)/bin/ptxas $(B)/bin/ptxvm
PRODUCTS = $(TOOLS) $(B)/lib/libptxvm.a $(B)/lib/libptxvm.so $(B)/lib/libcuda.so.1 $(RT_LIBS) \
           $(B)/lib/libptxcudart_static.a $(B)/lib/libptxvm_redirect.so $(B)/lib/libptxvm_audit.so $(B)/lib/libnvidia-ml.so.1

PUBLIC_HEADERS = $(filter-out include/ptx_tools.h include/ptx_syntax.h,$(wildcard include/*.h)) include/ptxvm.hpp

.PHONY: all test check demo lint san bench install clean deps quick
.DELETE_ON_ERROR:
all: $(B)/built
$(B)/built: $(LEVEL_OBJ) $(B)/obj/lib/ops/atom.o $(PRODUCTS)
	$(call built,$(B)/obj $(GEN) $(B)/rt-*,$(PRODUCTS))
	@touch $@

deps:
	@.ci/deps

# Where objects go, made once: a process for each of them would be a second of the build.
OBJ_DIRS = $(addprefix $(B)/obj/,$(sort $(dir $(wildcard lib/*/*.c lib/*/*/*.c ptxas/*.c ptxvm/*.c)))) $(UNIT_LEVELS:%=$(GEN)/%) \
           $(GEN)/alone $(B)/isagen.o $(foreach r,$(RT_SONAMES),$(B)/rt-$(firstword $(subst :, ,$r)))
$(shell mkdir -p $(OBJ_DIRS))

# With other options than the last time everything is compiled again; only the launcher of the compiler (ccache) does not matter.
OPTIONS = $(filter-out %ccache,$(CC)) $(ALL_CFLAGS) $(HANDLER_CFLAGS) $(FIXED_OPT) $(COOL_OPT) $(LDFLAGS) \
          $(foreach l,$(UNIT_LEVELS),$(LEVEL_FLAGS_$l) $(LEVEL_OPT_$l) $(COOL_OPT_$l) $(UNIT_OPT_$l))
ifeq ($(filter install clean,$(MAKECMDGOALS))$(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS)))),)
$(shell echo '$(OPTIONS)' | cmp -s - $(B)/options || echo '$(OPTIONS)' >$(B)/options)
endif

# ---- generated sources ----
ISA_TABLES = $(sort $(wildcard grammar/isa*.tbl)) grammar/names.tbl
# (not optimised: it runs once for each time that it is compiled, and everything else waits for it)
$(B)/isagen.o/%.o: grammar/%.c $(wildcard grammar/*.h) lib/isa/where.h lib/isa/hash.h
	$(call do,CC)$(CC) -std=gnu17 $(DEBUG) $(WARN) $(WERROR) -c -o $@ $<
$(B)/isagen: $(patsubst grammar/%.c,$(B)/isagen.o/%.o,$(wildcard grammar/isagen*.c))
	$(call do,LINK)$(CC) -o $@ $^
# What statements may name: lane.h with all that it includes and its macros.
$(GEN)/lane.i: lib/ops/lane.h
	@mkdir -p $(GEN)
	$(call do,CPP)$(CC) -E -P -dD -Iinclude -Ilib -MMD -MF $(GEN)/lane.d -MT $@ -x c -o $@ $<
$(GEN)/isa.stamp: $(B)/isagen $(ISA_TABLES) $(GEN)/lane.i
	@mkdir -p $(GEN)/new
	$(call do,ISAGEN)$(B)/isagen $(ISA_TABLES) $(GEN)/lane.i $(GEN)/new
	@for f in $(GEN)/new/*; do cmp -s $$f $(GEN)/$${f##*/} || cp $$f $(GEN)/$${f##*/}; done
	@touch $@
$(GEN_HEADERS) $(GEN)/lowerings.inc $(GEN)/x86_forms.inc $(GEN)/emissions.inc $(GEN)/op_handlers.inc $(GEN)/isa_tables.c $(GEN)/handlers.inc $(HANDLER_SRC) $(GEN)/ptx.dict $(GEN)/ptx.tmLanguage.json: $(GEN)/isa.stamp ;
$(GEN)/ptx_lexer.c: grammar/ptx.re
	@mkdir -p $(GEN)
	$(call do,RE2C)re2c -W --no-generation-date --no-debug-info -o $@ $<
$(GEN)/ptx_parser.c: grammar/ptx.y
	@mkdir -p $(GEN)
	$(call do,BISON)bison -Wall -Werror=conflicts-sr -Werror=conflicts-rr --no-lines -d -o $@ $<
$(GEN)/ptx_parser.h: $(GEN)/ptx_parser.c ;
# Run files of ptxvm.
$(GEN)/run_lexer.c: grammar/run.re
	@mkdir -p $(GEN)
	$(call do,RE2C)re2c -W --no-generation-date --no-debug-info -o $@ $<
$(GEN)/run_parser.c: grammar/run.y
	@mkdir -p $(GEN)
	$(call do,BISON)bison -Wall -Werror=conflicts-sr -Werror=conflicts-rr --no-lines -d -o $@ $<
$(GEN)/run_parser.h: $(GEN)/run_parser.c ;
$(GEN)/run_lexer.o $(GEN)/run_parser.o $(patsubst %.c,$(B)/obj/%.o,$(wildcard ptxvm/script*.c)): ALL_CFLAGS += -I.
$(GEN)/run_lexer.o $(patsubst %.c,$(B)/obj/%.o,$(wildcard ptxvm/script*.c)): $(GEN)/run_parser.h
# How the functions of CUDA's interfaces pass on and tell their arguments.
$(GEN)/cuda_told.h: lib/cuda/driver/told.awk lib/cuda/driver/cuda.def lib/cuda/driver/array.def
	@mkdir -p $(@D)
	$(call do,AWK)awk -f $^ >$@
$(GEN)/cudart_told.h: lib/cuda/driver/told.awk lib/cuda/runtime/runtime.def lib/cuda/runtime/texture.def
	@mkdir -p $(@D)
	$(call do,AWK)awk -f $^ >$@
$(B)/obj/lib/cuda/driver/calls.o: $(GEN)/cuda_told.h
$(foreach r,11 12 13,$(B)/rt-$r/exports.o): $(GEN)/cudart_told.h
GENERATED = $(GEN_HEADERS) $(GEN)/ptx_parser.h

# ---- objects ----
$(B)/obj/%.o: %.c $(B)/options | $(GENERATED)
	$(call do,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(GEN)/%.o: $(GEN)/%.c $(B)/options | $(GENERATED)
	$(call do,CC)$(CC) $(ALL_CFLAGS) -MMD -MP -Wno-unused-macros -c -o $@ $<
$(B)/obj/lib/ops/level.o: ALL_CFLAGS += $(LEVELS:%=-DPX_HAVE_%)
# What is done once a call of the driver or a line of a command: two thirds of the time to compile.
$(CUDA_OBJ) $(B)/obj/lib/run/ptx_run.o $(foreach r,$(RT_SONAMES),$(call RT_OBJ,$(firstword $(subst :, ,$r)))) $(patsubst %.c,$(B)/obj/%.o,$(wildcard ptxas/*.c ptxvm/*.c)): \
  private CFLAGS := $(CFLAGS:-O2=-O1)
# Other levels than the last time: what names them is made again.
$(shell echo $(LEVELS) | cmp -s - $(B)/levels || echo $(LEVELS) >$(B)/levels)
$(B)/obj/lib/ops/level.o $(B)/lib/libptxvm.a $(B)/lib/libptxvm.so: $(B)/levels
define LEVEL_RULE
$(B)/obj/lib/ops/handlers_fixed_$1.o: LEVEL_OPT = $(or $(LEVEL_OPT_$1),$(FIXED_OPT))
$(B)/obj/lib/ops/atom_rows_$1.o: LEVEL_OPT = $(if $(SAN),,$(VECTORS_ONLY))
$(B)/obj/lib/approx/rows_$1.o: LEVEL_OPT = $(UNIT_OPT_$1)
$(if $(filter portable,$1),$(B)/obj/lib/tex/rows_$1.o: LEVEL_OPT = $(UNIT_OPT_$1))
$(if $(filter portable,$1),$(B)/obj/lib/ops/mma_product_$1.o: LEVEL_OPT = $(UNIT_OPT_$1))
$(HOT_FILES:%=$(GEN)/$1/handlers_%.o): LEVEL_OPT = $(LEVEL_OPT_$1)
$(COOL_FILES:%=$(GEN)/$1/handlers_%.o): LINES =
$(COOL_FILES:%=$(GEN)/$1/handlers_%.o): LEVEL_OPT = $(or $(COOL_OPT_$1),$(COOL_OPT))
$(B)/obj/lib/%_$1.o: lib/%.c $(B)/options | $(GENERATED)
	$$(call do,CC)$$(CC) $$(LEVEL_CFLAGS) $$(LEVEL_OPT) $$(LEVEL_FLAGS_$1) -DPX_LEVEL=$1 -MMD -MP -c -o $$@ $$<
$(GEN)/$1/%.o: $(GEN)/%.c $(B)/options | $(GENERATED)
	$$(call do,CC)$$(CC) $$(LEVEL_CFLAGS) $$(LEVEL_OPT) -Wno-missing-prototypes $$(LEVEL_FLAGS_$1) -DPX_LEVEL=$1 -MMD -MP -c -o $$@ $$<
endef
LEVEL_CFLAGS = $(ALL_CFLAGS) $(HANDLER_CFLAGS)
$(foreach l,$(UNIT_LEVELS),$(eval $(call LEVEL_RULE,$l)))

$(GEN)/alone/%.o: $(GEN)/%.c $(B)/options | $(GENERATED)
	$(call do,CC)$(CC) $(ALL_CFLAGS) -O1 -fno-trapping-math -Wno-missing-prototypes -DPX_LEVEL=alone -MMD -MP -c -o $@ $<

$(B)/lib/libptxvm.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call do,AR)ar rcs $@ $(LIB_OBJ)
$(B)/lib/libptxvm.so: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -shared -Wl,-soname,libptxvm.so.0 $(LDFLAGS) -o $@ $(LIB_OBJ) $(LIBS)
	@ln -sf libptxvm.so $@.0
# It brings libptxvm along and shows nothing but the names of cuda.def, so it can be copied anywhere alone.
$(GEN)/libcuda.map: lib/cuda/driver/version.awk lib/cuda/driver/cuda.def lib/cuda/driver/array.def lib/cuda/driver/absent.def
	@mkdir -p $(@D)
	$(call do,AWK)awk -f $^ >$@
$(B)/lib/libcuda.so.1: $(CUDA_OBJ) $(B)/lib/libptxvm.a $(GEN)/libcuda.map
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -shared -Wl,-soname,libcuda.so.1 -Wl,-Bsymbolic -Wl,--version-script=$(GEN)/libcuda.map $(LDFLAGS) -o $@ $(CUDA_OBJ) $(B)/lib/libptxvm.a $(CUDA_LIBS) $(LIBS)
# libcudart of three releases over libcuda.so.1, for programs that relink an archive of all of it, and what
# ptxvm --exec redirects a linked-in runtime with (docs/dropin.md).
define RT_RULES
$(B)/rt-$1/%.o: lib/cuda/runtime/%.c $(B)/options
	$$(call do,CC)$$(CC) $$(ALL_CFLAGS) -DRT_RELEASE=$1 -MMD -MP -c -o $$@ $$<
$(B)/lib/$2: $(call RT_OBJ,$1) $(B)/lib/libcuda.so.1
	@mkdir -p $$(@D)
	@echo '$2 { global: cuda*; __cuda*; local: *; };' >$(B)/rt-$1/exports.map
	$$(call do,LINK)$$(CC) -shared -Wl,-soname,$2 -Wl,--version-script=$(B)/rt-$1/exports.map -Wl,-rpath,'$$$$ORIGIN' -Wl,--no-undefined $$(LDFLAGS) -o $$@ $$^ -pthread
endef
$(foreach r,$(RT_SONAMES),$(eval $(call RT_RULES,$(firstword $(subst :, ,$r)),$(lastword $(subst :, ,$r)))))
$(B)/lib/libptxcudart_static.a: $(call RT_OBJ,13) $(CUDA_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call do,AR)ar rcs $@ $^
$(B)/lib/libptxvm_audit.so: $(patsubst %,$(B)/obj/lib/cuda/%.o,redirect/audit redirect/elf redirect/entries redirect/archive redirect/cache redirect/places driver/host)
$(B)/lib/libptxvm_redirect.so: $(patsubst %,$(B)/obj/lib/cuda/redirect/%.o,redirect rtc jitlink)
$(B)/lib/libptxvm_audit.so $(B)/lib/libptxvm_redirect.so:
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -shared $(LDFLAGS) -o $@ $^ -ldl -pthread
# NVML's face stands on libcuda.so.1, too.
$(B)/lib/libnvidia-ml.so.1: $(B)/obj/lib/cuda/nvml/nvml.o $(B)/lib/libcuda.so.1
	@mkdir -p $(@D)
	@echo '{ global: nvml*; local: *; };' >$(GEN)/nvml.map
	$(call do,LINK)$(CC) -shared -Wl,-soname,libnvidia-ml.so.1 -Wl,--version-script=$(GEN)/nvml.map -Wl,-rpath,'$$ORIGIN' -Wl,--no-undefined $(LDFLAGS) -o $@ $^ -pthread
$(B)/bin/ptxas: $(patsubst %.c,$(B)/obj/%.o,$(wildcard ptxas/*.c)) $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS) -ljansson -liberty
$(B)/bin/ptxvm: $(patsubst %.c,$(B)/obj/%.o,$(wildcard ptxvm/*.c) ptxas/excerpt.c) $(GEN)/run_lexer.o $(GEN)/run_parser.o $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) $(LDFLAGS) -rdynamic -o $@ $^ $(LIBS) $(TOOL_LIBS)

# ---- tests ----
-include tests/tests.mk

# Tests that passed with the programs and inputs of now are left out, and random programs and fuzzing are a sample; ALL=1, as
# CI has it, runs all of them.
test check: deps
	@$(MAKE) --no-print-directory all tests-built fuzz
	@$(B)/tests/test_forms --counts
	@python3 tests/run.py --build $(B) $(if $(ALL),--fuzz 60,--changed --sample --fuzz 10)

.PHONY: tests-built
tests-built: $(B)/tests/built
$(B)/tests/built: $(UNIT) $(TEST_EXTRA)
	$(call built,$(B)/obj/tests,$(UNIT) $(TEST_EXTRA))
	@touch $@

# ---- other targets ----
demo: deps
	@$(MAKE) --no-print-directory all $(B)/samples/stamp
	@samples/demo.sh $(B)

# The tests again, built with sanitizers: addresses, leaks and undefined behaviour; then data races.
# The handlers are too large for the sanitizers' passes at -O3.
SAN_HANDLERS = -O1 -fno-trapping-math
san: deps
	@$(MAKE) --no-print-directory CFLAGS=-O1 HANDLER_CFLAGS="$(SAN_HANDLERS)" B=$(B)/san-address SAN=address,undefined all tests-built
	UBSAN_OPTIONS=print_stacktrace=1 python3 tests/run.py --small --build $(B)/san-address
	@$(MAKE) --no-print-directory CFLAGS=-O1 HANDLER_CFLAGS="$(SAN_HANDLERS)" B=$(B)/san-thread SAN=thread all tests-built
	TSAN_OPTIONS=halt_on_error=1 python3 tests/run.py --small --build $(B)/san-thread

# Layers, style, warnings as errors, and a static analyser.
CPPCHECK = cppcheck --quiet --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr \
           --suppressions-list=tests/lint/cppcheck.txt --cppcheck-build-dir=$(B)/cppcheck -Iinclude -Ilib -j$$(nproc)
lint:
	python3 tests/lint/layers.py
	python3 tests/lint/map.py
	python3 tests/lint/style.py
	python3 tests/lint/operations.py
	python3 tests/random/plant.py --anchors
	@$(MAKE) --no-print-directory B=$(B)/lint WERROR=-Werror all tests-built
	@command -v cppcheck >/dev/null || { echo "cppcheck is missing: apt-get install cppcheck"; exit 1; }
	@mkdir -p $(B)/cppcheck
	$(CPPCHECK) $(LIB_SRC) $(CUDA_SRC) ptxas ptxvm

BENCHES = bench bench_engine bench_decode bench_units bench_streams bench_driver bench_matrix bench_kernels_matrix bench_networks bench_texture
bench: all $(BENCHES:%=$(B)/tests/%)
	@for b in $(BENCHES); do PTXAS=$(B)/bin/ptxas $(B)/tests/$$b || exit 1; done
	@python3 tests/bench/check.py $(B)/bin/ptxas $(B)/bench

# What each instruction form costs, written to docs/performance-forms.md; FORMS takes options of tests/bench/forms.py.
bench-forms: all $(B)/tests/bench_forms
	@python3 tests/bench/forms.py --build $(B) $(FORMS)
.PHONY: bench-forms

# Agreement with NVIDIA's ptxas, where there is one (docs/parity.md); PARITY takes its options.
parity: $(B)/bin/ptxas
	@python3 tests/parity/parity.py --build $(B) $(PARITY)
.PHONY: parity

# What nvcc makes of tests/nvcc/*.cu and samples/*.cu, for five targets and three ways, must pass; where there is an nvcc.
nvcc-check: $(B)/bin/ptxas
	@tests/nvcc/check.sh $(B)
.PHONY: nvcc-check

# Random PTX programs on the engine in every configuration and on the reference, for an hour; RANDOM takes its options.
random: $(B)/tests/random
	@$(B)/tests/random --count 1000000 --time 3600 --seed $$(date +%s) --jobs $$(nproc) $(RANDOM)
.PHONY: random

# Random C programs through nvcc and LLVM, our ptxas and the VM; where csmith and a compiler are. RANDOM takes its options.
random-check: $(B)/bin/ptxas $(B)/bin/ptxvm
	@python3 tests/random/csmith.py --build $(B) $(RANDOM)
.PHONY: random-check

# Our ptxas never shadows NVIDIA's: where one is on PATH, ours is called ptxvm-ptxas, unless PTXAS_NAME decides.
install: all
	@name="$(PTXAS_NAME)"; \
	if [ -z "$$name" ]; then \
	    name=ptxas; \
	    if ptxas --version 2>/dev/null | grep -q 'NVIDIA (R)'; then \
	        name=ptxvm-ptxas; \
	        echo "NVIDIA's ptxas is on PATH ($$(command -v ptxas)), so ours is installed as ptxvm-ptxas; PTXAS_NAME= decides otherwise"; \
	    fi; \
	fi; \
	set -e; to="$(DESTDIR)$(PREFIX)"; \
	install -d "$$to/bin" "$$to/lib/pkgconfig" "$$to/include" "$$to/share/man/man1" "$$to/share/doc/ptxvm"; \
	install -m 755 $(B)/bin/ptxas "$$to/bin/$$name"; \
	install -m 755 $(B)/bin/ptxvm "$$to/bin/ptxvm"; \
	install -m 644 $(B)/lib/libptxvm.a "$$to/lib/"; \
	install -m 755 $(B)/lib/libptxvm.so "$$to/lib/libptxvm.so.0"; \
	ln -sf libptxvm.so.0 "$$to/lib/libptxvm.so"; \
	install -m 644 $(PUBLIC_HEADERS) "$$to/include/"; \
	install -d "$$to/lib/ptxvm"; \
	install -m 644 lib/python/ptxvm.py lib/python/ptxvm_image.py lib/python/ptxvm_check.py lib/python/ptxvm_counts.py lib/python/ptxvm_launches.py "$$to/lib/ptxvm/"; \
	install -m 755 $(B)/lib/libcuda.so.1 $(B)/lib/libnvidia-ml.so.1 "$$to/lib/ptxvm/"; \
	install -m 755 $(RT_LIBS) $(B)/lib/libptxvm_redirect.so $(B)/lib/libptxvm_audit.so "$$to/lib/ptxvm/"; \
	install -m 644 $(B)/lib/libptxcudart_static.a "$$to/lib/ptxvm/"; \
	sed 's,@PREFIX@,$(PREFIX),' docs/libptxvm.pc.in >"$$to/lib/pkgconfig/libptxvm.pc"; \
	chmod 644 "$$to/lib/pkgconfig/libptxvm.pc"; \
	sed "s,@PTXAS@,$$name," docs/man/ptxvm.1 >"$$to/share/man/man1/ptxvm.1"; \
	chmod 644 "$$to/share/man/man1/ptxvm.1"; \
	install -m 644 $(GEN)/instructions.md docs/fidelity-forms.md "$$to/share/doc/ptxvm/"; \
	install -m 644 docs/man/ptxas.1 "$$to/share/man/man1/$$name.1"; \
	echo "installed ptxvm, $$name, libptxvm and its headers in $$to"

# The extension for Visual Studio Code (docs/editors), with the grammar that isagen makes of the tables.
vscode: $(GEN)/ptx.tmLanguage.json
	@mkdir -p $(B)/vscode/syntaxes
	@cp docs/editors/vscode/*.js docs/editors/vscode/*.json LICENSE $(B)/vscode/
	@cp $(GEN)/ptx.tmLanguage.json $(B)/vscode/syntaxes/
.PHONY: vscode

clean:
	rm -rf $(B)

%.d: ;
-include $(shell find $(B)/obj $(B)/fuzz/obj $(GEN) $(B)/rt-* -name '*.d' 2>/dev/null)
