/*
 * test_base.c - arena, vectors, interned names, lines, diagnostics.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/name.h"
#include "base/vec.h"
#include "suite.h"

/* An allocator that counts what is out, and fails from the `fail_at`-th call on. */
struct counter {
    size_t bytes, calls, fail_at;
};

static void *counting_realloc(void *user, void *ptr, size_t old_size, size_t size)
{
    struct counter *counter = user;
    if (size && ++counter->calls == counter->fail_at) return NULL;
    counter->bytes += size - old_size;
    if (!size) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size);
}

TEST(test_arena_aligns_and_keeps)
{
    struct px_arena arena;
    jmp_buf failure;
    unsigned char *blocks[200];
    px_arena_init(&arena, NULL, &failure);
    assert_int_equal(setjmp(failure), 0);
    for (size_t i = 0; i < 200; i++) {
        size_t size = i * i + 1;
        blocks[i] = px_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)blocks[i] % (size > 8 ? 16 : 8), 0);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < 200; i++)
        for (size_t j = 0; j < i * i + 1; j++) assert_int_equal(blocks[i][j], (unsigned char)i);
    assert_int_equal(*(char *)px_arena_zalloc(&arena, 1 << 20), 0);
    assert_string_equal(px_arena_printf(&arena, "%d-%s", 7, "x"), "7-x");
    px_arena_free(&arena);
}

/* An arena whose allocator counts, for the rest of the test. */
#define COUNTED_ARENA(counter, arena)                                                                        \
    struct counter counter = {0};                                                                            \
    ptx_allocator alloc_of_##arena = {counting_realloc, &counter};                                           \
    struct px_arena arena;                                                                                   \
    jmp_buf failure_of_##arena;                                                                              \
    px_arena_init(&arena, &alloc_of_##arena, &failure_of_##arena);                                           \
    assert_int_equal(setjmp(failure_of_##arena), 0)

/* What came before a mark stays, small and large; what came after it goes back, in whatever order it was
 * made. */
TEST(test_arena_rewinds)
{
    enum { N = 60 };
    COUNTED_ARENA(counter, arena);
    for (int first = 0; first < 40; first++) {
        struct px_arena_mark mark[N];
        size_t total[N];
        char *kept[N];
        for (int i = 0; i < N; i++) {
            kept[i] = px_arena_alloc(&arena, 1 + (size_t)(first * 37 + i * 311) % 7000);
            *kept[i] = (char)i;
            mark[i] = px_arena_mark(&arena);
            total[i] = arena.total;
            for (int k = 0; k < first % 4; k++)
                memset(px_arena_alloc(&arena, 8 + 900u * (unsigned)(k + i % 3)), 0xff, 8);
        }
        for (int i = N; i-- > 0;) {
            px_arena_rewind(&arena, &mark[i]);
            assert_int_equal(arena.total, total[i]);
            assert_int_equal(counter.bytes, arena.total);
            for (int k = 0; k <= i; k++) assert_int_equal(*kept[k], (char)k);
        }
        px_arena_clear(&arena);
    }
    px_arena_free(&arena);
    assert_int_equal(counter.bytes, 0);
}

TEST(test_arena_returns_everything)
{
    COUNTED_ARENA(counter, arena);
    for (int i = 0; i < 1000; i++) px_arena_alloc(&arena, 5000);
    assert_true(counter.bytes >= 5000000);
    assert_int_equal(counter.bytes, arena.total);
    px_arena_free(&arena);
    assert_int_equal(counter.bytes, 0);
}

TEST(test_arena_gives_back_large_blocks)
{
    COUNTED_ARENA(counter, arena);
    char *first = px_arena_alloc(&arena, 100), *large[3];
    strcpy(first, "first");
    for (int i = 0; i < 3; i++) large[i] = memset(px_arena_alloc(&arena, 1 << 20), 'a' + i, 1 << 20);
    px_arena_drop(&arena, large[1]);
    px_arena_drop(&arena, first); /* which shares its memory: it stays */
    px_arena_drop(&arena, NULL);
    assert_in_range(counter.bytes, 2 << 20, (2 << 20) + 65536);
    large[2] = px_arena_trim(&arena, large[2], 1000);
    assert_ptr_equal(px_arena_trim(&arena, first, 10), first);
    assert_in_range(counter.bytes, 1 << 20, (1 << 20) + 65536);
    assert_int_equal(counter.bytes, arena.total);
    for (int i = 0; i < 1000; i++) assert_int_equal(large[2][i], 'c');
    assert_int_equal(large[0][(1 << 20) - 1], 'a');
    assert_string_equal(first, "first");
    px_arena_clear(&arena);
    assert_in_range(counter.bytes, 1, 65536);
    assert_int_equal(counter.bytes, arena.total);
    assert_ptr_equal(px_arena_alloc(&arena, 100), first);
    px_arena_free(&arena);
    assert_int_equal(counter.bytes, 0);
}

TEST(test_arena_unwinds)
{
    struct counter counter = {.fail_at = 3};
    ptx_allocator alloc = {counting_realloc, &counter};
    struct px_arena arena;
    jmp_buf failure;
    volatile int unwound = 0;
    px_arena_init(&arena, &alloc, &failure);
    if (setjmp(failure) == 0) {
        for (;;) px_arena_alloc(&arena, 100000);
    } else {
        unwound = 1;
    }
    assert_true(unwound);
    assert_int_equal(counter.calls, 3);
    px_arena_free(&arena);
    assert_int_equal(counter.bytes, 0);
}

TEST(test_vec_grows)
{
    struct px_arena arena;
    jmp_buf failure;
    PX_VEC(int) v = {0};
    px_arena_init(&arena, NULL, &failure);
    assert_int_equal(setjmp(failure), 0);
    for (int i = 0; i < 10000; i++) px_vec_push(&arena, &v, i * 3);
    assert_int_equal(v.n, 10000);
    for (int i = 0; i < 10000; i++) assert_int_equal(v.at[i], i * 3);
    px_arena_free(&arena);
}

static unsigned words_asked;

static uint16_t word_of(const char *s, size_t n)
{
    words_asked++;
    return n == 3 && memcmp(s, "add", 3) == 0 ? 9 : 0;
}

TEST(test_names_are_unique)
{
    struct px_arena arena;
    struct px_names names;
    jmp_buf failure;
    struct px_name *first[3000];
    char text[300];
    px_arena_init(&arena, NULL, &failure);
    assert_int_equal(setjmp(failure), 0);
    px_names_init(&names, &arena, word_of);
    words_asked = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 3000; i++) {
            int n = snprintf(text, sizeof text, "%*s%%r%d", i % 40, "", i);
            struct px_name *name = px_names_intern(&names, text, (size_t)n);
            if (!round) first[i] = name;
            assert_ptr_equal(name, first[i]);
            assert_string_equal(name->text, text);
        }
    assert_int_equal(words_asked, 3000);
    assert_null(px_names_find(&names, "never", 5));
    assert_int_equal(px_names_intern(&names, "added", 3)->word, 9);
    assert_non_null(px_names_find(&names, "add", 3));
    px_arena_free(&arena);
}

static void check_place(struct px_source *source, px_pos pos, unsigned line, unsigned column)
{
    struct px_place place = px_source_place(source, pos);
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

TEST(test_lines)
{
    static const char text[] = "one\r\ntwo\n\nfour";
    struct px_arena arena;
    jmp_buf failure;
    size_t length = 0;
    px_arena_init(&arena, NULL, &failure);
    assert_int_equal(setjmp(failure), 0);
    struct px_source source = {.text = text, .size = sizeof text - 1, .arena = &arena};
    check_place(&source, 0, 1, 1);
    check_place(&source, 4, 1, 5);
    check_place(&source, 5, 2, 1);
    check_place(&source, 9, 3, 1);
    check_place(&source, 14, 4, 5);
    assert_memory_equal(px_source_line(&source, 1, &length), "one", 3);
    assert_int_equal(length, 3);
    px_source_line(&source, 3, &length);
    assert_int_equal(length, 0);
    assert_memory_equal(px_source_line(&source, 4, &length), "four", 4);
    assert_int_equal(length, 4);
    assert_null(px_source_line(&source, 5, &length));
    assert_null(px_source_line(&source, 0, &length));
    px_arena_free(&arena);
}

TEST(test_diagnostics)
{
    struct px_arena arena;
    jmp_buf failure;
    px_arena_init(&arena, NULL, &failure);
    assert_int_equal(setjmp(failure), 0);
    struct px_diags diags = {.arena = &arena, .max_errors = 2};
    struct px_diag *diag = px_diag_add(&diags, PX_D_UNKNOWN_SYMBOL, 5, 3, "abc");
    assert_string_equal(diag->message, "Unknown symbol 'abc'");
    px_diag_note(&diags, diag, "near %d", 4);
    assert_string_equal(diags.list.at[0].note, "near 4");
    for (int i = 0; i < 5; i++) px_diag_add(&diags, PX_D_UNKNOWN_SYMBOL, 5, 3, "x");
    px_diag_add(&diags, PX_D_LOC_NO_FILE, PX_NO_PLACE, 0);
    assert_int_equal(diags.errors, 6);
    assert_int_equal(diags.list.n, 3); /* two errors and the warning */
    assert_false(px_diag_has_place(&diags.list.at[2]));
    px_arena_free(&arena);
}

/* Codes are the stable names of messages: each has one row, a severity that suits its letter, an explanation.
 */
TEST(test_codes_are_unique)
{
    for (int i = 0; i < PX_D_COUNT; i++) {
        const char *code = px_diag_code((enum px_diag_id)i);
        assert_int_equal(strlen(code), 5);
        assert_non_null(strchr("EWI", code[0]));
        assert_true(strlen(px_diag_explain(code)) > 10);
        for (int j = 0; j < i; j++)
            if (strcmp(code, px_diag_code((enum px_diag_id)j)) == 0) fail_msg("code %s has two rows", code);
    }
    assert_null(px_diag_explain("E9999"));
}

int main(void)
{
    return run_suite();
}
