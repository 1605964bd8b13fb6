// ptxvm.cpp - include/ptxvm.hpp against what it promises; tests/api/test_languages.py builds and runs it.
#include <ptxvm.hpp>
#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                                                           \
    do {                                                                                                     \
        if (__VA_ARGS__) break;                                                                              \
        std::fprintf(stderr, "line %d: not so: %s\n", __LINE__, #__VA_ARGS__);                               \
        std::exit(1);                                                                                        \
    } while (0)

template <class E, class F> static E thrown(int line, F f)
{
    try {
        f();
    } catch (const E &e) {
        return e;
    }
    std::fprintf(stderr, "line %d: nothing was thrown\n", line);
    std::exit(1);
}
#define THROWN(type, ...) thrown<type>(__LINE__, [&] { __VA_ARGS__; })

static const char text[] = R"(.version 8.0
.target sm_80
.address_size 64
.global .u32 total;
.visible .entry scale(.param .u64 p, .param .f32 factor, .param .align 8 .b8 extra[16]) {
 .reg .u64 %a, %o; .reg .u32 %t; .reg .f32 %f, %g; .reg .f64 %d;
 ld.param.u64 %a, [p]; ld.param.f32 %f, [factor]; ld.param.f64 %d, [extra+8]; mov.u32 %t, %tid.x;
 mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; ld.global.f32 %g, [%a]; mul.f32 %g, %g, %f;
 cvt.rn.f32.f64 %f, %d; add.f32 %g, %g, %f; st.global.f32 [%a], %g; ret; }
.visible .entry count() { .reg .u32 %t; atom.global.add.u32 %t, [total], 1; ret; }
)";

struct extra {
    unsigned unused;
    double offset;
};

static void test_launch(ptx::device &device)
{
    ptx::program program(device, ptx::module(text, "scale.ptx"));
    ptx::buffer<float> data(device, {1, 2, 3, 4});
    const ptx::kernel scale = program.kernel("scale");
    scale.launch({1}, {4}, data, 2.0f, extra{0, 0.5});
    CHECK(data.read() == std::vector<float>{2.5f, 4.5f, 6.5f, 8.5f});
    // The wrong number, width and kind of arguments.
    THROWN(std::invalid_argument, scale.launch({1}, {4}, data, 2.0f));
    THROWN(std::invalid_argument, scale.launch({1}, {4}, data, 2.0, extra{}));
    THROWN(std::invalid_argument, scale.launch({1}, {4}, data, 2, extra{}));
    THROWN(std::invalid_argument, scale.launch({1}, {4}, 2.0, 2.0f, extra{}));
    CHECK(THROWN(ptx::error, program.kernel("none")).status() == PTX_ERROR_NOT_FOUND);
    CHECK(THROWN(ptx::error, scale.launch({1}, {2000}, data, 2.0f, extra{})).status() == PTX_ERROR_LAUNCH);
    CHECK(THROWN(ptx::error, data.write({1, 2}, 3)).status() == PTX_ERROR_INVALID_ARGUMENT);

    const ptx::fault f = THROWN(ptx::fault, scale.launch({1}, {5}, data, 2.0f, extra{}));
    CHECK(f.status() == PTX_ERROR_FAULT && f.cuda_error == 700 && f.thread[0] == 4 && f.line == 8);
    CHECK(f.file == "scale.ptx" && f.address == data.address() + 16);
}

static void test_errors(ptx::device &device)
{
    const auto wrong =
        THROWN(ptx::assembly_error, ptx::module(".version 8.0\n.target sm_80\n.entry k() { x; }", "w.ptx"));
    CHECK(wrong.diagnostics().size() == 1 && wrong.diagnostics()[0].line == 3);
    CHECK(std::string(wrong.what()).find("w.ptx:3: ") == 0);
    const ptx::module open(".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f();\n.visible "
                           ".entry k() { call f; ret; }");
    CHECK(THROWN(ptx::error, ptx::program(device, open)).status() == PTX_ERROR_LINK);
    ptx_device_config config = ptx::device_config();
    config.arch = "sm_1";
    CHECK(THROWN(ptx::error, ptx::device{config}).status() == PTX_ERROR_INVALID_ARGUMENT);
}

static unsigned total(const ptx::device &device, const ptx::program &program)
{
    unsigned value;
    const auto [address, size] = program.variable("total");
    CHECK(size == 4 && ptx_memory_read(device.get(), &value, address, size) == PTX_OK);
    return value;
}

static void test_streams(ptx::device &device)
{
    ptx::program program(device, ptx::module(text));
    ptx::stream first(device), second = std::move(first); // what was moved from is destroyed quietly
    ptx::event begin(device), end(device);
    int called = 0;
    second.record(begin);
    for (int i = 0; i < 20; i++) program.kernel("count").submit(second, {2}, {1});
    second.call([&called] { called++; });
    second.record(end);
    second.wait();
    CHECK(called == 1 && second.done() && end.since(begin) >= 0 && total(device, program) == 40);
}

// What a callback throws comes out of the next wait, once; nothing else is disturbed.
static void test_callbacks_throw(ptx::device &device)
{
    ptx::program program(device, ptx::module(text));
    ptx::stream stream(device);
    stream.call([] { throw std::out_of_range("from a stream"); });
    program.kernel("count").submit(stream, {1}, {1});
    CHECK(THROWN(std::out_of_range, stream.wait()).what() == std::string("from a stream"));
    stream.wait();
    CHECK(total(device, program) == 1);

    int told = 0;
    device.watch([&told](const ptx_watch_event &) {
        told++;
        throw std::out_of_range("from a watch");
    });
    THROWN(std::out_of_range, program.kernel("count").launch({1}, {1}));
    device.watch(nullptr);
    program.kernel("count").launch({1}, {1});
    CHECK(told == 2 && total(device, program) == 3); // begin and end
}

static void test_findings()
{
    static const char racy[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 g;\n"
        ".visible .entry racy() { .reg .u32 %t; mov.u32 %t, %tid.x; st.global.u32 [g], %t; ret; }";
    ptx_device_config config = ptx::device_config();
    config.check = PTX_CHECK_RACE;
    ptx::device device(config);
    ptx::program program(device, ptx::module(racy));
    device.findings([](const ptx_check_finding &) { CHECK(false); });
    program.kernel("racy").launch({1}, {2});
    std::string told;
    device.findings([&told](const ptx_check_finding &f) { told += f.code; });
    CHECK(told == "race-write-write");
    THROWN(std::out_of_range,
           device.findings([](const ptx_check_finding &) { throw std::out_of_range(""); }));
}

static void test_launches()
{
    ptx_device_config config = ptx::device_config();
    config.launches = 1 << 20;
    ptx::device device(config);
    ptx::program program(device, ptx::module(text));
    program.kernel("count").launch({2}, {3});
    std::string told;
    device.launches([&told](const ptx_launch_record &r) { told += r.kernel + std::to_string(r.shape[0]); });
    CHECK(told == "count2");
    THROWN(std::out_of_range,
           device.launches([](const ptx_launch_record &) { throw std::out_of_range(""); }));
    device.expect_launch("1 x count<<<2,3>>> from host");
    const ptx::error e = THROWN(ptx::error, device.expect_launch("count"));
    CHECK(e.status() == PTX_ERROR_NOT_FOUND &&
          std::string(e.what()).find("launched by the host") != std::string::npos);
    CHECK(device.launches_text(PTX_LAUNCHES_DOT).rfind("digraph", 0) == 0);
    device.clear_launches();
    CHECK(THROWN(ptx::error, device.expect_launch("count from host")).status() == PTX_ERROR_NOT_FOUND);
}

int main()
{
    test_findings();
    test_launches();
    for (void (*test)(ptx::device &) : {test_launch, test_errors, test_streams, test_callbacks_throw}) {
        ptx_device_config config = ptx::device_config();
        config.workers = 2;
        ptx::device made(config), device = std::move(made);
        test(device);
    }
    // A function that is never called goes with its device.
    ptx::device device;
    ptx::stream stream(device);
    ptx::program program(device,
                         ptx::module(".version 8.0\n.target sm_80\n.visible .entry spin() { L: bra L; }"));
    program.kernel("spin").submit(stream, {1}, {1});
    stream.call([] { std::exit(1); });
    std::puts("all as expected");
}
