# fuzz.mk - the libFuzzer targets: one program build/fuzz/fuzz_NAME for each tests/fuzz/fuzz_NAME.c.
#
# They need clang with its libFuzzer; where that is missing FUZZ is empty, and `make test` says so. A new target is a
# new file here, what it calls beyond the front end in FUZZ_SRC, and a rule for its seeds, build/fuzz/seeds/NAME (a
# folder of small files). Inputs that crashed once are kept in tests/fuzz/crashes/NAME. The compiler launcher of CC
# (ccache), if any, is kept.

FUZZ_CC = $(filter %ccache,$(CC)) clang
FUZZ_CFLAGS = -std=gnu17 -gline-tables-only -O1 -fwrapv -pthread -fno-omit-frame-pointer -fno-sanitize-recover=all \
              -fsanitize=fuzzer-no-link,address,undefined -Iinclude -Ilib -I$(B)
FUZZ_SRC = $(wildcard lib/base/*.c lib/isa/*.c lib/front/*.c lib/check/*.c) lib/api/module.c lib/cuda/driver/fatbin.c
FUZZ_OBJ = $(FUZZ_SRC:%.c=$(B)/fuzz/obj/%.o) $(patsubst %,$(B)/fuzz/gen/%.o,isa_tables ptx_lexer ptx_parser)
FUZZ_NAMES = $(if $(wildcard $(shell clang -print-file-name=libclang_rt.fuzzer-$(ARCH).a 2>/dev/null)),\
             $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ = $(FUZZ_NAMES:%=$(B)/fuzz/fuzz_%)

$(B)/fuzz/obj/%.o: %.c $(B)/options | $(GENERATED)
	@mkdir -p $(@D)
	$(call do,CC)$(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/fuzz/gen/%.o: $(GEN)/%.c $(B)/options | $(GENERATED)
	@mkdir -p $(@D)
	$(call do,CC)$(FUZZ_CC) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<
# (the archive has what only --lint calls, without instruments)
$(B)/fuzz/fuzz_%: $(B)/fuzz/obj/tests/fuzz/fuzz_%.o $(FUZZ_OBJ) $(B)/lib/libptxvm.a
	$(call do,LINK)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -static-libsan -static-libstdc++ -static-libgcc -pthread -o $@ $^ $(LIBS) $(CUDA_LIBS)

# Modules of the tests and samples.
$(B)/fuzz/seeds/front: tests/fuzz/seeds.py $(wildcard tests/verdicts/*.txt)
	@mkdir -p $(@D)
	$(call do,SEEDS)python3 $< $@
	@touch $@

# Object files of small modules.
$(B)/fuzz/seeds/object: $(B)/bin/ptxas $(wildcard tests/cli/*.ptx)
	@mkdir -p $@
	@for f in fine two_kernels usage old_target; do $(B)/bin/ptxas --profile=all tests/cli/$$f.ptx -o $@/$$f.o || exit 1; done
	@$(B)/bin/ptxas tests/cli/fine.ptx tests/cli/two_kernels.ptx -o $@/two.o
	@touch $@

# Fat binaries with little in them.
$(B)/fuzz/seeds/fatbin: tests/fuzz/seeds_fatbin.py
	@mkdir -p $(@D)
	$(call do,SEEDS)python3 $< $@
	@touch $@

.PHONY: fuzz
.PRECIOUS: $(B)/fuzz/obj/%.o $(B)/fuzz/gen/%.o
fuzz: $(FUZZ) $(FUZZ_NAMES:%=$(B)/fuzz/seeds/%)
