# tests.mk - programs and libraries that the tests need beside the cmocka binaries.

BENCH_SRC = $(addprefix tests/bench/,bench.c reference.c table.c approx.c)
BENCH = $(B)/tests/bench
HOSTFN = $(B)/libhostfn.so
EXPECTED = $(B)/expected
TEST_EXTRA += $(BENCH) $(HOSTFN) $(B)/samples/stamp

# The reference must not be contracted: it stands for what the chip computes.
$(BENCH): $(BENCH_SRC) tests/bench/reference.h tests/bench/control.h $(B)/tests/bench_control.o $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests/bench -o $@ $(BENCH_SRC) $(B)/tests/bench_control.o $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# What the engine is measured beside: plain C, as fast as the compiler makes it for this machine.
$(B)/tests/bench_control.o: tests/bench/control.c tests/bench/control.h tests/bench/reference.h tests/bench/kernels.c
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O3 -march=native -ffp-contract=off -fno-math-errno -fwrapv -pthread -w -c -o $@ $<

# Speed of the approximate units inside kernels (make bench).
UNITS = $(B)/tests/bench_units
TEST_EXTRA += $(UNITS)
$(UNITS): tests/bench/units.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Wno-format-nonliteral -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# Speed (make bench) of matrix products inside kernels and of kernels that consist of them, of other paths of the engine, and of
# decoding by the shape of the text.
PLAIN_BENCHES = $(addprefix $(B)/tests/bench_,matrix engine decode kernels_matrix)
TEST_EXTRA += $(PLAIN_BENCHES)
$(PLAIN_BENCHES): $(B)/tests/bench_%: tests/bench/%.c tests/bench/need.h tests/bench/text.h $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# Speed of kernels of neural networks (make bench), and whether they are right (tests/run.py).
TEST_EXTRA += $(B)/tests/bench_networks
$(B)/tests/bench_networks: tests/bench/networks.c tests/bench/networks_plain.c tests/bench/networks.h tests/bench/need.h $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O3 -march=native -ffp-contract=off -fno-math-errno -fwrapv -c -o $@_plain.o tests/bench/networks_plain.c
	$(CC) $(ALL_CFLAGS) -o $@ $< $@_plain.o $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# Speed of the texture unit (make bench).
TEST_EXTRA += $(B)/tests/bench_texture
$(B)/tests/bench_texture: tests/bench/texture.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# The approximate units against checksums of all inputs recorded on a GPU; run.py uses --quick.
APPROX_CHECK = $(B)/tests/approx_check
TEST_EXTRA += $(APPROX_CHECK)
$(APPROX_CHECK): tests/hw/approx_check.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# The texture unit and surfaces against what a GPU answered.
TEX_CHECK = $(addprefix tests/hw/texture/,check.c model.c case.c)
TEST_EXTRA += $(B)/tests/test_texture $(B)/tests/test_surface
$(B)/tests/test_texture: $(TEX_CHECK) $(wildcard tests/hw/texture/*.h) $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests/hw/texture -o $@ $(TEX_CHECK) $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)
$(B)/tests/test_surface: tests/hw/texture/surface.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# Correct rounding of --approx=exact over all inputs, with MPFR and AVX-512; built and run by hand.
$(B)/tests/exact_check: tests/hw/exact_check.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LEVEL_FLAGS_avx512) -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) -lmpfr -lgmp -lmvec $(LIBS)

# Speed of the rows alone; run by hand.
TEST_EXTRA += $(B)/tests/approx_bench
$(B)/tests/approx_bench: tests/hw/approx_bench.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

$(HOSTFN): samples/hostfn.c samples/hostfn.h
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O2 -g $(WARN) $(WERROR) -ffp-contract=off -shared -fPIC -Isamples -o $@ samples/hostfn.c

# What the samples must compute, by a plain C program.
$(EXPECTED): samples/expected.c samples/hostfn.c samples/hostfn.h
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -O2 -g $(WARN) $(WERROR) -ffp-contract=off -Isamples -o $@ samples/expected.c samples/hostfn.c -lm
$(B)/samples/stamp: $(EXPECTED)
	@mkdir -p $(B)/samples
	$(EXPECTED) $(B)/samples >/dev/null
	@touch $@

# The recordings of a real GPU are kept compressed (zlib comes with libpng); the reference is held by them too.
$(B)/tests/test_golden: LIBS += -lz
$(B)/tests/test_golden: tests/api/test_golden.c $(B)/lib/libptxvm.a $(B)/tests/libreference.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(filter %.a,$(wordlist 3,9,$^)) $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS) -lcmocka

$(B)/tests/test_matrix $(B)/tests/test_wgmma: $(B)/tests/%: tests/api/%.c $(B)/lib/libptxvm.a $(B)/tests/libreference.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(B)/tests/libreference.a $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# How far each form is held: docs/fidelity-forms.md and tests/fidelity/bounds.txt.
FIDELITY_SRC = $(filter-out %/not_run.c,$(wildcard tests/fidelity/*.c)) tests/hw/texture/case.c
TEST_EXTRA += $(B)/tests/test_forms $(B)/tests/not_run
$(B)/tests/not_run: tests/fidelity/not_run.c tests/unit/instance.h tests/unit/expand.h $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)
$(B)/tests/test_forms: $(FIDELITY_SRC) $(wildcard tests/hw/*/*.h) tests/hw/approx/units.def tests/fidelity/fidelity.h $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Wno-format-nonliteral -Itests -o $@ $(FIDELITY_SRC) $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# The embedding example, against the shared library as an embedder links it.
TEST_EXTRA += $(B)/samples/embed
$(B)/samples/embed: samples/embed/embed.c include/ptx.h include/ptxvm.h $(B)/lib/libptxvm.so
	@mkdir -p $(@D)
	$(CC) -std=c99 -g $(WARN) $(WERROR) -Iinclude -o $@ $< -L$(B)/lib -lptxvm -Wl,-rpath,'$$ORIGIN/../lib' $(LDFLAGS)

-include tests/fuzz/fuzz.mk

# The frozen verdicts of NVIDIA's ptxas, all in one process.
TEST_EXTRA += $(B)/tests/test_verdicts
$(B)/tests/test_verdicts: tests/verdicts/test_verdicts.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS) -lcmocka

# Writes the combinations of the instruction table, for tests/isa/combinations.py.
ISA_LIST = $(B)/tests/isa_list
TEST_EXTRA += $(ISA_LIST)
$(ISA_LIST): tests/isa/list.c tests/unit/instance.h tests/unit/expand.h $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# The reference interpreter: a library, and a command that replays files of tests/exec. Its statements must not be
# contracted (BASE says so); they are compiled for the plain machine, so that fused ones go through the C library.
REFERENCE_SRC = $(filter-out tests/reference/main.c tests/reference/test_%,$(wildcard tests/reference/*.c))
REFERENCE = $(B)/tests/libreference.a
TEST_EXTRA += $(REFERENCE) $(B)/tests/reference
$(B)/obj/tests/reference/scalar.o: $(GEN)/handlers.inc
$(B)/obj/tests/reference/%.o: tests/reference/%.c | $(GENERATED)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests/reference -MMD -MP -c -o $@ $<
$(REFERENCE): $(REFERENCE_SRC:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	@rm -f $@
	ar rcs $@ $^
$(B)/tests/reference: $(B)/obj/tests/reference/main.o $(REFERENCE) $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) -o $@ $^ $(LDFLAGS) $(LIBS)

# Random programs on the engine in every configuration, and in the reference (tests/random/README.md).
RANDOM_SRC = $(wildcard tests/random/*.c)
RANDOM_TEST = $(B)/tests/random
TEST_EXTRA += $(RANDOM_TEST)
$(RANDOM_TEST): $(RANDOM_SRC) $(wildcard tests/random/*.h) $(REFERENCE) $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -o $@ $(RANDOM_SRC) $(REFERENCE) $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# What submitted work costs (make bench).
TEST_EXTRA += $(B)/tests/bench_streams
$(B)/tests/bench_streams: tests/bench/streams.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS)

# Links, against what nvlink says of them.
TEST_EXTRA += $(B)/tests/test_nvlink
$(B)/tests/test_nvlink: tests/link/test_nvlink.c $(B)/lib/libptxvm.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(B)/lib/libptxvm.a $(LDFLAGS) $(LIBS) -lcmocka

# The driver interface: programs of tests/shim on libcuda.so.1, the reader of fat binaries, what a launch costs.
# (client, vendor and opener are built by test_exec.py, in many ways)
SHIM_PROGRAMS = $(patsubst tests/shim/%.c,$(B)/tests/shim/%,$(filter-out %/client.c %/vendor.c %/opener.c,$(wildcard tests/shim/*.c)))
TEST_EXTRA += $(SHIM_PROGRAMS) $(B)/tests/bench_driver
$(B)/tests/shim/%: tests/shim/%.c tests/shim/program.h lib/cuda/driver/cuda.def lib/cuda/driver/array.def lib/cuda/driver/abi.h lib/cuda/driver/numbers.h $(B)/lib/libcuda.so.1
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DPTXVM_OWN_ABI -Itests/shim -o $@ $< -L$(B)/lib -l:libcuda.so.1 -Wl,-rpath,'$$ORIGIN/../../lib' $(LDFLAGS) -pthread
$(B)/tests/bench_driver: tests/bench/driver.c $(B)/lib/libcuda.so.1 $(B)/lib/libptxvm.so
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< -L$(B)/lib -l:libcuda.so.1 -lptxvm -Wl,-rpath,'$$ORIGIN/../lib' $(LDFLAGS) -pthread
$(B)/tests/test_fatbin: tests/unit/test_fatbin.c $(B)/obj/lib/cuda/driver/fatbin.o
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itests -MMD -MP -o $@ $< $(B)/obj/lib/cuda/driver/fatbin.o $(LDFLAGS) $(CUDA_LIBS) -lcmocka

# Preloaded into test programs, so that an allocation of the library fails (tests/oom).
TEST_EXTRA += $(B)/tests/oom_fail.so
$(B)/tests/oom_fail.so: tests/oom/fail.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(WARN) $(WERROR) -shared -fPIC -o $@ $< -ldl
