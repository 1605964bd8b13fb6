/* test_element.c - numbers of ptxvm's command line: parsing, rounding, printing, distances.
 *
 * Expected bit patterns are those of IEEE 754 binary16 and of bfloat16, worked out by hand. */
#include "../../ptxvm/element.c"
#include "suite.h"

static const struct element_type *named(const char *name)
{
    return element_type_find(name, strlen(name));
}

static bool parses(const char *type, const char *text, uint64_t *bits)
{
    char *end = NULL;
    *bits = 0;
    return element_parse(named(type), text, &end, bits) && *end == '\0';
}

static void expect_bits(const char *type, const char *text, uint64_t wanted)
{
    uint64_t bits;
    assert_true(parses(type, text, &bits));
    assert_int_equal(bits, wanted);
}

struct number {
    const char *text;
    uint64_t bits;
};

static void expect_all(const char *type, const struct number *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) expect_bits(type, numbers[i].text, numbers[i].bits);
}

static void expect_refused(const char *type, const char *text)
{
    uint64_t bits;
    assert_false(parses(type, text, &bits));
}

TEST(integers)
{
    expect_bits("u8", "255", 0xff);
    expect_refused("u8", "256");
    expect_bits("u8", "-1", 0xff);
    expect_refused("u8", "-129");
    expect_bits("s8", "-128", 0x80);
    expect_refused("s8", "128");
    expect_bits("s8", "0xff", 0xff);
    expect_bits("i32", "-1", 0xffffffff);
    expect_bits("u64", "18446744073709551615", UINT64_MAX);
    expect_refused("u64", "18446744073709551616");
    expect_refused("s64", "9223372036854775808");
    expect_bits("s64", "-9223372036854775808", (uint64_t)1 << 63);
    expect_refused("u32", "1.5");
    expect_refused("u32", "");
    expect_refused("u32", "x");
}

TEST(floats)
{
    expect_bits("f32", "0.1", 0x3dcccccd);
    expect_bits("f32", "0f3F800000", 0x3f800000);
    expect_bits("f32", "-inf", 0xff800000);
    expect_bits("f64", "0d3FF0000000000000", 0x3ff0000000000000);
    expect_bits("b32", "1.0", 0x3f800000);
    expect_bits("b32", "1", 1);
    expect_bits("b64", "0.5", 0x3fe0000000000000);
    expect_refused("f32", "0f3F8");
    /* Just above the middle between 1 and the next float: a way through double must not lose it. */
    expect_bits("f32", "1.00000005960464477540", 0x3f800001);
}

TEST(halves)
{
    /* 65520: the tie goes to even, which is infinity. 0x1p-25: a tie. 0x1.ffcp-15: up to the smallest normal
     * number. */
    static const struct number f16[] = {{"0.1", 0x2e66},          {"65504", 0x7bff},
                                        {"65519", 0x7bff},        {"65520", 0x7c00},
                                        {"-1e9", 0xfc00},         {"0x1p-24", 1},
                                        {"0x1p-25", 0},           {"0x1.8p-25", 1},
                                        {"0x1.ffcp-15", 0x0400},  {"1.00048828125", 0x3c00},
                                        {"1.00146484375", 0x3c02}};
    static const struct number bf16[] = {{"0.333333333", 0x3eab},
                                         {"1.00390625", 0x3f80},
                                         {"1.01171875", 0x3f82},
                                         {"3.4e38", 0x7f80},
                                         {"-0.0", 0x8000}};
    expect_all("f16", f16, sizeof f16 / sizeof *f16);
    expect_all("bf16", bf16, sizeof bf16 / sizeof *bf16);
}

/* Every half is printed so that it reads back as itself. */
TEST(halves_print_and_parse)
{
    static const char *const names[] = {"f16", "bf16"};
    for (int t = 0; t < 2; t++) {
        for (uint32_t i = 0; i < 0x10000; i++) {
            uint16_t bits = (uint16_t)i;
            uint64_t back;
            char text[40];
            element_print(named(names[t]), &bits, text);
            assert_true(parses(names[t], text, &back));
            if (element_is_nan(named(names[t]), &bits))
                assert_true(element_is_nan(named(names[t]), &back));
            else
                assert_int_equal(back, i);
        }
    }
}

TEST(distances)
{
    const float one = 1, next = 0x1.000002p0f, minus = -0x1p-149f, plus = 0x1p-149f, zero = -0.0f;
    const float nan = NAN;
    const struct element_type *f32 = named("f32");
    assert_int_equal(element_ulps(f32, &one, &next), 1);
    assert_int_equal(element_ulps(f32, &plus, &minus), 2);
    assert_int_equal(element_ulps(f32, &zero, &plus), 1);
    assert_true(element_ulps(f32, &nan, &one) == UINT64_MAX);
    assert_true(element_less(f32, &minus, &plus));
}

int main(void)
{
    return run_suite();
}
