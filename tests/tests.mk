# tests.mk - programs and libraries that the tests need.
#
# A program's objects are made once; only the link is done again when the library changes.

# Objects of tests: TEST_FLAGS are those of a folder or a file.
$(B)/obj/tests/%.o: tests/%.c $(B)/options | $(GENERATED)
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(ALL_CFLAGS) $(TEST_FLAGS) -Itests -MMD -MP -c -o $@ $<
$(B)/obj/tests/bench/%.o: TEST_FLAGS = -Itests/bench
$(B)/obj/tests/bench/units.o $(B)/obj/tests/fidelity/%.o: TEST_FLAGS = -Wno-format-nonliteral
$(B)/obj/tests/hw/texture/%.o: TEST_FLAGS = -Itests/hw/texture
$(B)/obj/tests/reference/%.o: TEST_FLAGS = -Itests/reference
$(B)/obj/tests/shim/%.o: TEST_FLAGS = -Itests/shim -DPTXVM_OWN_ABI

# $(call program,NAME,SOURCES,ARCHIVES,MORE): build/tests/NAME of these, libptxvm.a and MORE.
define program
$(B)/tests/$1: $(patsubst %.c,$(B)/obj/%.o,$2) $3 $(B)/lib/libptxvm.a
	@mkdir -p $$(@D)
	$$(call do,LINK)$$(CC) -o $$@ $$^ $$(LDFLAGS) $4 $$(LIBS)
endef

# ---- cmocka programs, one a file of tests/unit and tests/api ----
UNIT_SRC = $(wildcard tests/unit/test_*.c tests/api/test_*.c)
UNIT = $(patsubst %.c,$(B)/tests/%,$(notdir $(UNIT_SRC)))
REFERENCE = $(B)/tests/libreference.a
# Held against the reference as well; the recordings of a real GPU are kept compressed (zlib comes with libpng).
WITH_REFERENCE = tests/api/test_golden.c tests/api/test_matrix.c tests/api/test_wgmma.c
$(foreach s,$(filter-out $(WITH_REFERENCE) %/test_fatbin.c,$(UNIT_SRC)),$(eval $(call program,$(basename $(notdir $s)),$s,,-lcmocka)))
$(foreach s,$(WITH_REFERENCE),$(eval $(call program,$(basename $(notdir $s)),$s,$(REFERENCE),-lz -lcmocka)))
$(B)/tests/test_fatbin: $(B)/obj/tests/unit/test_fatbin.o $(B)/obj/lib/cuda/driver/fatbin.o
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -o $@ $^ $(LDFLAGS) $(CUDA_LIBS) -lcmocka
# Links, against what nvlink says of them; the frozen verdicts of NVIDIA's ptxas, all in one process.
$(eval $(call program,test_nvlink,tests/link/test_nvlink.c,,-lcmocka))
$(eval $(call program,test_verdicts,tests/verdicts/test_verdicts.c,,-lcmocka))
TEST_EXTRA += $(B)/tests/test_nvlink $(B)/tests/test_verdicts

# ---- speed (make bench): workloads, approximate units, matrix products, texture unit, streams, decoding, driver ----
BENCH = $(B)/tests/bench
TEST_EXTRA += $(BENCH) $(addprefix $(B)/tests/bench_,units matrix engine decode kernels_matrix texture streams networks driver forms)
$(foreach b,units matrix engine decode kernels_matrix texture streams forms,$(eval $(call program,bench_$b,tests/bench/$b.c)))
# The reference must not be contracted: it stands for what the chip computes. What the engine is measured beside is plain C, as
# fast as the compiler makes it for this machine; so are the kernels of neural networks in C.
FAST_C = -std=gnu17 -O3 -march=native -ffp-contract=off -fno-math-errno -fwrapv -pthread -w
$(eval $(call program,bench,$(addprefix tests/bench/,bench.c reference.c table.c approx.c control.c)))
$(eval $(call program,bench_networks,$(addprefix tests/bench/,networks.c networks_plain.c programs_plain.c)))
$(addprefix $(B)/obj/tests/bench/,control.o networks_plain.o programs_plain.o): $(B)/obj/%.o: %.c $(B)/options
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(FAST_C) -MMD -MP -c -o $@ $<
$(B)/tests/bench_driver: $(B)/obj/tests/bench/driver.o $(B)/lib/libcuda.so.1 $(B)/lib/libptxvm.so
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -o $@ $< -L$(B)/lib -l:libcuda.so.1 -lptxvm -Wl,-rpath,'$$ORIGIN/../lib' $(LDFLAGS) -pthread

# ---- against recordings of a chip ----
# The approximate units against checksums of all inputs (run.py uses --quick), and the speed of their rows alone, run by hand.
$(foreach p,approx_check approx_bench,$(eval $(call program,$p,tests/hw/$p.c)))
# The texture unit and surfaces against what a GPU answered.
$(eval $(call program,test_texture,$(addprefix tests/hw/texture/,check.c model.c case.c)))
$(eval $(call program,test_surface,tests/hw/texture/surface.c))
# How far each form is held: docs/fidelity-forms.md and tests/fidelity/bounds.txt.
$(eval $(call program,test_forms,$(filter-out %/not_run.c,$(wildcard tests/fidelity/*.c)) tests/hw/texture/case.c))
$(eval $(call program,not_run,tests/fidelity/not_run.c))
APPROX_CHECK = $(B)/tests/approx_check
TEST_EXTRA += $(addprefix $(B)/tests/,approx_check approx_bench test_texture test_surface test_forms not_run)
# Correct rounding of --approx=exact over all inputs, with MPFR and AVX-512; built and run by hand.
$(B)/obj/tests/hw/exact_check.o: TEST_FLAGS = $(LEVEL_FLAGS_avx512)
$(eval $(call program,exact_check,tests/hw/exact_check.c,,-lmpfr -lgmp -lmvec))

# ---- the instruction table, the reference interpreter, random programs ----
# Writes the combinations of the instruction table, for tests/isa/combinations.py.
$(eval $(call program,isa_list,tests/isa/list.c))
# The reference is a library, and a command that replays files of tests/exec. Its statements must not be contracted (BASE says so);
# they are compiled for the plain machine, so that fused ones go through the C library.
REFERENCE_SRC = $(filter-out tests/reference/main.c tests/reference/test_%,$(wildcard tests/reference/*.c))
$(REFERENCE): $(REFERENCE_SRC:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	$(call do,AR)ar rcs $@ $^
$(eval $(call program,reference,tests/reference/main.c,$(REFERENCE)))
# Random programs on the engine in every configuration, and in the reference (tests/random/README.md).
$(eval $(call program,random,$(wildcard tests/random/*.c),$(REFERENCE)))
# Random sequences of calls, held against a model (tests/sequences/README.md).
$(eval $(call program,sequences,$(wildcard tests/sequences/*.c)))
TEST_EXTRA += $(REFERENCE) $(addprefix $(B)/tests/,isa_list reference random sequences)

# ---- samples ----
HOSTFN = $(B)/libhostfn.so
EXPECTED = $(B)/expected
PLAIN_C = -std=gnu17 -O2 -g $(WARN) $(WERROR) -ffp-contract=off -Isamples
TEST_EXTRA += $(HOSTFN) $(B)/samples/stamp $(B)/samples/embed
$(HOSTFN): samples/hostfn.c samples/hostfn.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(PLAIN_C) -shared -fPIC -o $@ $<
# What the samples must compute, by a plain C program.
$(EXPECTED): samples/expected.c samples/hostfn.c samples/hostfn.h
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(PLAIN_C) -o $@ samples/expected.c samples/hostfn.c -lm
$(B)/samples/stamp: $(EXPECTED)
	@mkdir -p $(B)/samples
	@$(EXPECTED) $(B)/samples >/dev/null
	@touch $@
# The embedding example, against the shared library as an embedder links it.
$(B)/samples/embed: samples/embed/embed.c include/ptx.h include/ptxvm.h $(B)/lib/libptxvm.so
	@mkdir -p $(@D)
	$(call do,CC)$(CC) -std=c99 -g $(WARN) $(WERROR) -Iinclude -o $@ $< -L$(B)/lib -lptxvm -Wl,-rpath,'$$ORIGIN/../lib' $(LDFLAGS)

-include tests/fuzz/fuzz.mk

# ---- the driver interface: programs of tests/shim on libcuda.so.1 (client, vendor and opener are built by test_exec.py, in many ways) ----
SHIM_PROGRAMS = $(patsubst tests/shim/%.c,$(B)/tests/shim/%,$(filter-out %/client.c %/vendor.c %/opener.c,$(wildcard tests/shim/*.c)))
TEST_EXTRA += $(SHIM_PROGRAMS)
$(SHIM_PROGRAMS): $(B)/tests/shim/%: $(B)/obj/tests/shim/%.o $(B)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(call do,LINK)$(CC) -o $@ $< -L$(B)/lib -l:libcuda.so.1 -Wl,-rpath,'$$ORIGIN/../../lib' $(LDFLAGS) -pthread

# Preloaded into test programs, so that an allocation of the library fails (tests/oom).
TEST_EXTRA += $(B)/tests/oom_fail.so
$(B)/tests/oom_fail.so: tests/oom/fail.c
	@mkdir -p $(@D)
	$(call do,CC)$(CC) $(BASE) $(WARN) $(WERROR) -shared -fPIC -o $@ $< -ldl
