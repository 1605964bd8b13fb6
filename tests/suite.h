/*
 * suite.h - cmocka, and tests that list themselves: TEST(name) { ... } is a test of the program that it
 * stands in. They run in the order of the file, which ends with a main that returns run_suite().
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static struct CMUnitTest suite_tests[64];
static size_t suite_count;

static inline void suite_add(struct CMUnitTest test)
{
    if (suite_count == sizeof suite_tests / sizeof *suite_tests) abort();
    suite_tests[suite_count++] = test;
}

static inline int run_suite(void)
{
    return _cmocka_run_group_tests("tests", suite_tests, suite_count, NULL, NULL);
}

/* Between a set-up and a tear-down of cmocka's; either may be NULL. */
#define TEST_WITHIN(name, set_up, tear_down)                                                                 \
    static void name(void **);                                                                               \
    __attribute__((constructor)) static void add_##name(void)                                                \
    {                                                                                                        \
        suite_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL});                                \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **suite_state)

#define TEST(name) TEST_WITHIN(name, NULL, NULL)

#endif
