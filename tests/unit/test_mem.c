/*
 * test_mem.c - device memory and the heap of kernels: placement, exact bounds,
 * reuse, words. Expectations come from the contracts in mem/mem.h and mem/heap.h.
 */
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "mem/heap.h"
#include "mem/mem_map.h"
#include "ptx_memory.h"
#include "suite.h"

enum { MIB = 1 << 20 };

static void begin(struct px_mem *mem, uint64_t bytes, bool host_mode)
{
    static ptx_allocator alloc; /* outlives every `mem` */
    alloc = px_alloc_or_default(NULL);
    assert_true(px_mem_init(mem, &alloc, bytes, host_mode));
}

static uint64_t get(struct px_mem *mem, uint64_t size, uint64_t align)
{
    uint64_t va = 0;
    assert_true(px_mem_alloc(mem, size, align, &va));
    assert_int_equal(va % align, 0);
    return va;
}

TEST(addresses_are_the_devices_own)
{
    struct px_mem a, b;
    begin(&a, 64 * MIB, false);
    begin(&b, 64 * MIB, false);
    static const uint64_t sizes[] = {1, 256, 4096, 100000, 3, 5 * MIB};
    for (size_t i = 0; i < 6; i++) {
        uint64_t va = get(&a, sizes[i], 256);
        assert_int_equal(va, get(&b, sizes[i], 256));
        assert_true(va >= PX_VA_DEVICE && va + sizes[i] <= PX_VA_DEVICE + 64 * MIB);
    }
    px_mem_free_all(&a);
    px_mem_free_all(&b);
}

/* Two peers take turns in one place: of the first the host's memory is seen, of the second the device's. */
struct turns {
    struct px_mem *mem, *first, *second;
    atomic_bool over;
};

static void *take_turns(void *data)
{
    struct turns *t = data;
    while (!atomic_load(&t->over)) {
        px_mem_peer_see(t->mem, t->first, PTX_SEE_HOST);
        px_mem_peer_see(t->mem, t->first, 0);
        px_mem_peer_see(t->mem, t->second, PTX_SEE_DEVICE);
        px_mem_peer_see(t->mem, t->second, 0);
    }
    return NULL;
}

TEST(rights_are_those_of_their_peer)
{
    enum { LOOKS = 10000000 };
    struct px_mem mem, first, second;
    struct px_extent e;
    struct turns t = {&mem, &first, &second, false};
    pthread_t thread;
    unsigned wrong = 0;
    begin(&mem, 64 * MIB, false);
    begin(&first, 64 * MIB, false);
    begin(&second, 64 * MIB, false);
    const uint64_t va = get(&first, 1000, 256);
    assert_true(px_mem_peer_see(&mem, &first, PTX_SEE_DEVICE));
    assert_true(px_mem_of_peer(&mem, va, &e) && e.lo == va && e.len == 1000);
    assert_int_equal(px_mem_peer_seen(&mem, &first), PTX_SEE_DEVICE);
    assert_int_equal(pthread_create(&thread, NULL, take_turns, &t), 0);
    /* The other thread gives up what was seen until now. */
    while (px_mem_peer_seen(&mem, &first) == PTX_SEE_DEVICE) {
    }
    for (unsigned i = 0; i < LOOKS; i++) wrong += px_mem_of_peer(&mem, va, &e);
    atomic_store(&t.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(wrong, 0);
    px_mem_free_all(&mem);
    px_mem_free_all(&first);
    px_mem_free_all(&second);
}

TEST(bounds_are_exact)
{
    struct px_mem mem;
    struct px_extent e;
    begin(&mem, 64 * MIB, false);
    uint64_t a = get(&mem, 1000, 256), b = get(&mem, 8, 256);
    assert_true(px_mem_extent(&mem, a, &e));
    assert_int_equal(e.lo, a);
    assert_int_equal(e.len, 1000);
    assert_true(px_mem_extent(&mem, a + 999, &e));
    assert_false(px_mem_extent(&mem, a + 1000, &e));
    assert_false(px_mem_extent(&mem, a - 1, &e));
    assert_false(px_mem_extent(&mem, b - 1, &e));
    assert_false(px_mem_extent(&mem, 0, &e));
    assert_false(px_mem_extent(&mem, UINT64_MAX, &e));
    assert_non_null(px_mem_host(&mem, a, 1000));
    assert_null(px_mem_host(&mem, a, 1001));
    assert_null(px_mem_host(&mem, a + 1, UINT64_MAX));
    assert_ptr_equal((char *)px_mem_host(&mem, a + 10, 1), (char *)px_mem_host(&mem, a, 1) + 10);
    px_mem_free_all(&mem);
}

static bool all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

TEST(released_memory_is_reused_and_zero)
{
    struct px_mem mem;
    begin(&mem, 64 * MIB, false);
    static const uint64_t sizes[] = {100, 70000, 3 * MIB + 17};
    for (size_t i = 0; i < 3; i++) {
        uint64_t va = get(&mem, sizes[i], 256), behind = get(&mem, 64, 256);
        memset(px_mem_host(&mem, behind, 64), 0x5a, 64);
        assert_true(all_zero(px_mem_host(&mem, va, sizes[i]), sizes[i]));
        memset(px_mem_host(&mem, va, sizes[i]), 0xff, sizes[i]);
        assert_true(px_mem_release(&mem, va));
        assert_null(px_mem_host(&mem, va, 1));
        assert_int_equal(get(&mem, sizes[i], 256), va);
        assert_true(all_zero(px_mem_host(&mem, va, sizes[i]), sizes[i]));
        assert_int_equal(*(uint8_t *)px_mem_host(&mem, behind, 64), 0x5a);
    }
    px_mem_free_all(&mem);
}

TEST(only_starts_can_be_released)
{
    struct px_mem mem;
    begin(&mem, 64 * MIB, false);
    uint64_t va = get(&mem, 1000, 256);
    assert_false(px_mem_release(&mem, va + 1));
    assert_false(px_mem_release(&mem, va - 256));
    assert_false(px_mem_release(&mem, 0));
    assert_true(px_mem_release(&mem, va));
    assert_false(px_mem_release(&mem, va));
    px_mem_free_all(&mem);
}

TEST(exhaustion_is_a_status)
{
    struct px_mem mem;
    uint64_t va = 7;
    begin(&mem, 64 * MIB, false);
    assert_false(px_mem_alloc(&mem, 65 * MIB, 256, &va));
    assert_false(px_mem_alloc(&mem, UINT64_MAX, 256, &va));
    assert_int_equal(va, 7);
    uint32_t n = 0;
    while (px_mem_alloc(&mem, MIB, 256, &va)) n++;
    assert_in_range(n, 62, 63);
    px_mem_free_all(&mem);
}

TEST(many_blocks_in_any_order)
{
    enum { N = 500 };
    struct px_mem mem;
    struct px_extent e;
    uint64_t at[N];
    begin(&mem, 64 * MIB, false);
    for (int i = 0; i < N; i++) at[i] = get(&mem, (uint64_t)(i * 37 % 900 + 1), 256);
    for (int i = 0; i < N; i += 3) assert_true(px_mem_release(&mem, at[i]));
    for (int i = 0; i < N; i += 3) at[i] = get(&mem, (uint64_t)(i % 300 + 1), 256);
    for (int i = 0; i < N; i++) {
        const uint64_t size = (uint64_t)(i % 3 ? i * 37 % 900 + 1 : i % 300 + 1);
        assert_true(px_mem_extent(&mem, at[i] + size - 1, &e));
        assert_int_equal(e.lo, at[i]);
        assert_int_equal(e.len, size);
        assert_false(px_mem_extent(&mem, at[i] + size, &e)); /* a guard gap follows every block */
    }
    px_mem_free_all(&mem);
}

TEST(a_block_can_be_carved)
{
    struct px_mem mem;
    struct px_extent e;
    begin(&mem, 64 * MIB, false);
    uint64_t va = get(&mem, 100, 256);
    const struct px_extent parts[] = {{va, 4}, {va + 8, 12}, {va + 20, 80}};
    assert_true(px_mem_carve(&mem, va, parts, 3));
    assert_true(px_mem_extent(&mem, va + 3, &e));
    assert_int_equal(e.len, 4);
    assert_false(px_mem_extent(&mem, va + 4, &e));
    assert_true(px_mem_extent(&mem, va + 19, &e));
    assert_int_equal(e.lo, va + 8);
    assert_false(px_mem_release(&mem, va + 8));
    assert_true(px_mem_release(&mem, va));
    assert_false(px_mem_extent(&mem, va + 30, &e));
    assert_int_equal(get(&mem, 100, 256), va);
    px_mem_free_all(&mem);
}

TEST(places_in_words)
{
    struct px_mem mem;
    char text[200], expected[200];
    begin(&mem, 64 * MIB, false);
    px_mem_describe(&mem, 0, text, sizeof text);
    assert_string_equal(text, "a null pointer");
    uint64_t va = get(&mem, 4096, 256);
    px_mem_describe(&mem, va + 4096 + 16, text, sizeof text);
    snprintf(expected, sizeof expected, "16 bytes past the end of a 4096-byte allocation at 0x%llx",
             (unsigned long long)va);
    assert_string_equal(text, expected);
    px_mem_describe(&mem, va - 4, text, sizeof text);
    snprintf(expected, sizeof expected, "4 bytes before a 4096-byte allocation at 0x%llx",
             (unsigned long long)va);
    assert_string_equal(text, expected);
    px_mem_describe(&mem, va + 5, text, sizeof text);
    snprintf(expected, sizeof expected, "byte 5 of a 4096-byte allocation at 0x%llx", (unsigned long long)va);
    assert_string_equal(text, expected);
    px_mem_describe(&mem, 0xdeadbeefdeadull, text, sizeof text);
    assert_string_equal(text, "far from every allocation");
    px_mem_free_all(&mem);
}

/* Blocks come, so that the table of them grows, and go. */
static void *come_and_go(void *user)
{
    uint64_t blocks[100];
    for (int i = 0; i < 100; i++) blocks[i] = get(user, 4096, 256);
    for (int i = 100; i-- > 0;) assert_true(px_mem_release(user, blocks[i]));
    return NULL;
}

TEST(places_in_words_while_others_allocate)
{
    struct px_mem mem;
    char text[200], expected[200];
    pthread_t thread;
    for (int round = 0; round < 50; round++) {
        begin(&mem, 64 * MIB, false);
        const uint64_t va = get(&mem, 4096, 256);
        snprintf(expected, sizeof expected, "16 bytes past the end of a 4096-byte allocation at 0x%llx",
                 (unsigned long long)va);
        assert_int_equal(pthread_create(&thread, NULL, come_and_go, &mem), 0);
        for (int i = 0; i < 300; i++) {
            px_mem_describe(&mem, va + 4096 + 16, text, sizeof text);
            assert_string_equal(text, expected);
        }
        pthread_join(thread, NULL);
        px_mem_free_all(&mem);
    }
}

TEST(host_pointers_are_addresses_in_host_mode)
{
    struct px_mem mem;
    struct px_extent e;
    int local = 5;
    begin(&mem, 64 * MIB, true);
    assert_true(px_mem_extent(&mem, (uint64_t)(uintptr_t)&local, &e));
    assert_int_equal(e.lo, 64 << 10);
    assert_ptr_equal(px_mem_host(&mem, (uint64_t)(uintptr_t)&local, sizeof local), &local);
    assert_false(px_mem_extent(&mem, 100, &e));
    uint64_t va = get(&mem, 100, 256);
    assert_ptr_equal(px_mem_host(&mem, va, 100), (void *)(uintptr_t)va);
    memset((void *)(uintptr_t)va, 1, 100);
    px_mem_free_all(&mem);
}

TEST(windows_carry_their_owner)
{
    assert_int_equal(px_window_of(px_window_base(PX_WIN_SHARED, 0x1ffffff) | 0xffffffff), PX_WIN_SHARED);
    assert_int_equal(px_window_base(PX_WIN_CONST, 3), 3ull << 57 | 3ull << 32);
    assert_int_equal(px_local_base(5, 1023), 2ull << 57 | 5ull << 30 | 1023ull << 20);
    assert_int_equal(px_window_of(PX_VA_DEVICE), PX_WIN_NONE);
}

/* ---- heap ---- */

struct heaped {
    struct px_mem mem;
    struct px_heap heap;
};

static void begin_heap(struct heaped *h, uint64_t bytes)
{
    begin(&h->mem, bytes + MIB, false);
    assert_true(px_heap_init(&h->heap, &h->mem, bytes));
    h->mem.heaps[0] = &h->heap;
}

static void end_heap(struct heaped *h)
{
    px_heap_free_all(&h->heap);
    px_mem_free_all(&h->mem);
}

TEST(heap_bounds_are_exact)
{
    struct heaped h;
    struct px_extent e;
    begin_heap(&h, MIB);
    static const uint64_t sizes[] = {1, 15, 16, 17, 32, 100, 1000, 5000};
    uint64_t at[8];
    for (int i = 0; i < 8; i++) {
        at[i] = px_heap_alloc(&h.heap, sizes[i], 16);
        assert_true(at[i] && at[i] % 16 == 0);
    }
    for (int i = 0; i < 8; i++) {
        assert_true(px_mem_extent(&h.mem, at[i] + sizes[i] / 2, &e));
        assert_int_equal(e.lo, at[i]);
        assert_int_equal(e.len, sizes[i]);
        if (sizes[i] % 16) assert_false(px_mem_extent(&h.mem, at[i] + sizes[i], &e));
    }
    assert_true(px_heap_release(&h.heap, at[5]));
    assert_false(px_mem_extent(&h.mem, at[5], &e));
    assert_false(px_heap_release(&h.heap, at[5]));
    assert_false(px_heap_release(&h.heap, at[6] + 16));
    assert_false(px_heap_release(&h.heap, 0));
    end_heap(&h);
}

TEST(heap_alignment_is_kept)
{
    struct heaped h;
    begin_heap(&h, MIB);
    for (uint64_t align = 1; align <= 65536; align *= 2) {
        uint64_t va = px_heap_alloc(&h.heap, 48, align);
        assert_true(va && va % (align < 16 ? 16 : align) == 0);
    }
    assert_int_equal(px_heap_alloc(&h.heap, 0, 16), 0);
    assert_int_equal(px_heap_alloc(&h.heap, 2 * MIB, 16), 0);
    assert_int_equal(px_heap_alloc(&h.heap, UINT64_MAX, 16), 0);
    end_heap(&h);
}

TEST(freed_pieces_join)
{
    struct heaped h;
    begin_heap(&h, 64 << 10);
    enum { N = (64 << 10) / 16 };
    uint64_t *at = calloc(N, sizeof *at);
    for (int i = 0; i < N; i++) assert_true((at[i] = px_heap_alloc(&h.heap, 16, 16)) != 0);
    assert_int_equal(px_heap_alloc(&h.heap, 1, 16), 0);
    for (int i = 0; i < N / 2; i++) assert_true(px_heap_release(&h.heap, at[i]));
    uint64_t half = px_heap_alloc(&h.heap, 32 << 10, 16);
    assert_int_equal(half, at[0]);
    assert_int_equal(px_heap_alloc(&h.heap, 16, 16), 0);
    for (int i = N / 2; i < N; i++) assert_true(px_heap_release(&h.heap, at[i]));
    assert_true(px_heap_release(&h.heap, half));
    assert_true(px_heap_alloc(&h.heap, 64 << 10, 16) != 0);
    free(at);
    end_heap(&h);
}

struct piece {
    uint64_t va, size;
};

/* A generator of its own, so that every run is the same. */
static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void check_overlap(const struct piece *pieces, int n, uint64_t va, uint64_t size)
{
    for (int i = 0; i < n; i++)
        if (pieces[i].va) assert_true(va + size <= pieces[i].va || pieces[i].va + pieces[i].size <= va);
}

static bool give_back(struct heaped *h, struct piece *p)
{
    if (!p->va) return false;
    assert_true(px_heap_release(&h->heap, p->va));
    p->va = 0;
    return true;
}

/* A heap and the pieces of it that are in use. */
struct random_use {
    struct heaped h;
    struct piece pieces[200];
    uint32_t n, seed, failed; /* pieces, of the next number, requests */
};

static void begin_use(struct random_use *u, uint64_t bytes, uint32_t n, uint32_t seed)
{
    *u = (struct random_use){.n = n, .seed = seed};
    begin_heap(&u->h, bytes);
}

static struct piece *any_piece(struct random_use *u)
{
    return &u->pieces[next_random(&u->seed) % u->n];
}

TEST(random_use_never_overlaps)
{
    struct random_use u;
    begin_use(&u, 256 << 10, 200, 1);
    for (int step = 0; step < 20000; step++) {
        struct piece *p = any_piece(&u);
        if (give_back(&u.h, p)) continue;
        const uint64_t size = next_random(&u.seed) % (step % 7 ? 300 : 9000) + 1,
                       align = 16u << next_random(&u.seed) % 4;
        uint64_t va = px_heap_alloc(&u.h.heap, size, align);
        u.failed += !va;
        if (!va) continue;
        assert_int_equal(va % align, 0);
        check_overlap(u.pieces, (int)u.n, va, size);
        *p = (struct piece){va, size};
    }
    assert_true(u.failed < 1000);
    end_heap(&u.h);
}

/* The longest run of granules that no piece covers. */
static uint64_t longest_gap(const struct px_heap *heap, const struct piece *pieces, int n)
{
    static bool used[(64 << 10) / 16];
    uint64_t best = 0, run = 0;
    memset(used, 0, sizeof used);
    for (int i = 0; i < n; i++)
        for (uint64_t at = 0; pieces[i].va && at < pieces[i].size; at += 16)
            used[(pieces[i].va - heap->base + at) / 16] = true;
    for (size_t i = 0; i < sizeof used; i++) {
        run = used[i] ? 0 : run + 1;
        if (run > best) best = run;
    }
    return best * 16;
}

TEST(a_request_fails_only_without_room)
{
    struct random_use u;
    begin_use(&u, 64 << 10, 150, 7);
    for (int step = 0; step < 20000; step++) {
        struct piece *p = any_piece(&u);
        if (step % 3) give_back(&u.h, p);
        if (p->va) continue;
        const uint64_t size = next_random(&u.seed) % (step % 5 ? 900 : 12000) + 1;
        p->va = px_heap_alloc(&u.h.heap, size, 16);
        p->size = size;
        u.failed += !p->va;
        if (!p->va) assert_true(size > longest_gap(&u.h.heap, u.pieces, (int)u.n));
        if (!p->va) continue;
        struct px_extent e;
        assert_true(px_mem_extent(&u.h.mem, p->va + next_random(&u.seed) % size, &e));
        assert_int_equal(e.lo, p->va);
        assert_int_equal(e.len, size);
    }
    assert_true(u.failed > 100);
    end_heap(&u.h);
}

static void *use_heap(void *argument)
{
    struct heaped *h = argument;
    struct px_extent e;
    uint64_t mine[32] = {0};
    for (int i = 0; i < 4000; i++) {
        const int k = i * 7 % 32;
        if (mine[k]) {
            if (!px_mem_extent(&h->mem, mine[k] + 5, &e) || e.lo != mine[k] || e.len != (uint64_t)k * 10 + 6)
                return h;
            if (!px_heap_release(&h->heap, mine[k])) return h;
        }
        mine[k] = px_heap_alloc(&h->heap, (uint64_t)k * 10 + 6, 16);
        if (!mine[k]) return h;
    }
    return NULL;
}

TEST(threads_share_a_heap)
{
    struct heaped h;
    pthread_t threads[4];
    begin_heap(&h, MIB);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, use_heap, &h), 0);
    for (int i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    end_heap(&h);
}

int main(void)
{
    return run_suite();
}
