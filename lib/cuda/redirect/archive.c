/*
 * archive.c - the entries of a stripped runtime, found by comparing code with libcudart_static.a.
 *
 * Who has an object with NVIDIA's runtime in it usually has the archive that the linker took it from. The
 * archive's functions have names. A linker copies a section of code as a whole and changes only the bytes
 * that relocations name, so the object has the same section at one place, byte by byte but for those. Where
 * the archive is of another build of the same release the sections differ, but entries are equal one by one:
 * each is then taken where its whole body has one place, or one place at an offset that others share. Any
 * function that has no place tells that the archive is another release's. Nothing is read into the code:
 * bytes are compared, no more.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cuda/driver/host.h"
#include "cuda/redirect/entries.h"

enum {
    RUNS = 8,        /* how many runs of fixed bytes are looked for */
    RUN_LEAST = 48,  /* bytes of one */
    RUN_MOST = 256,  /* bytes of it that are looked for */
    HITS = 16,       /* places of a run */
    PLACES = 8,      /* of a function */
    BASES = 64,      /* offsets that functions with one place have */
    SLACK = 1 << 16, /* how far a section of another build may reach beyond where this one would */
    STEP = 16        /* alignment of functions */
};

/* A part of the archive's or of the object's code. */
struct span {
    const unsigned char *at;
    size_t size;
};

struct function {
    int number; /* of its name; -1: it is no entry */
    size_t at, size;
    size_t places[PLACES]; /* in the window */
    size_t count;          /* PLACES: perhaps more */
};

/* One section of code of the archive. */
struct piece {
    struct span code;
    unsigned char *fixed; /* for each byte, 255: it is as the archive says, 0: the linker writes it */
    struct function *functions;
    size_t count, named;
};

/* ---- the archive ---- */

/* Bytes before and behind a relocation's place that the linker may rewrite with it. */
static void reach_of(unsigned type, size_t *before, size_t *size)
{
    *before = 0;
    *size = 4;
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_GOTOFF64: *size = 8; break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_GOTTPOFF: *before = 3; break;
    case R_X86_64_TLSGD:
        *before = 4;
        *size = 12;
        break;
    case R_X86_64_TLSLD:
        *before = 3;
        *size = 10;
        break;
    default: break;
    }
}

static void mark_written(struct piece *piece, const struct px_elf *member, unsigned section)
{
    for (unsigned i = 0; i < member->count; i++) {
        const Elf64_Shdr *s = &member->sections[i];
        const Elf64_Rela *r = s->sh_type == SHT_RELA && s->sh_info == section
                                  ? px_elf_at(member, s->sh_offset, s->sh_size)
                                  : NULL;
        for (size_t k = 0; r && k < s->sh_size / sizeof *r; k++) {
            size_t before, size;
            reach_of(ELF64_R_TYPE(r[k].r_info), &before, &size);
            for (size_t n = 0; n < before + size; n++) {
                const size_t at = r[k].r_offset - before + n;
                if (at < piece->code.size) piece->fixed[at] = 0;
            }
        }
    }
}

static void add_functions(struct piece *piece, const struct px_symbols *symbols, unsigned section)
{
    for (size_t i = 0; i < symbols->count; i++) {
        const Elf64_Sym *s = &symbols->at[i];
        const char *name = px_symbol_function(symbols, i);
        if (s->st_shndx != section || !*name || !s->st_size) continue;
        if (s->st_value > piece->code.size || s->st_size > piece->code.size - s->st_value) continue;
        struct function *f = &piece->functions[piece->count++];
        *f =
            (struct function){.number = px_redirect_name_number(name), .at = s->st_value, .size = s->st_size};
        if (f->number >= 0) piece->named++;
    }
}

static void piece_free(struct piece *piece)
{
    free(piece->fixed);
    free(piece->functions);
}

/* A section of a member; false: it has no entries, or there is no memory. */
static bool piece_make(struct piece *piece, const struct px_elf *member, const struct px_symbols *symbols,
                       unsigned section)
{
    const Elf64_Shdr *s = &member->sections[section];
    *piece = (struct piece){0};
    if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_EXECINSTR)) return false;
    piece->code = (struct span){px_elf_bytes(member, s), s->sh_size};
    if (!piece->code.at || !s->sh_size) return false;
    piece->fixed = malloc(s->sh_size);
    piece->functions = malloc(symbols->count * sizeof *piece->functions);
    if (piece->fixed && piece->functions) {
        memset(piece->fixed, 255, s->sh_size);
        mark_written(piece, member, section);
        add_functions(piece, symbols, section);
    }
    if (piece->named) return true;
    piece_free(piece);
    return false;
}

/* ---- comparing ---- */

static bool is_equal(const struct piece *piece, const struct function *f, const unsigned char *code)
{
    const unsigned char *own = piece->code.at + f->at, *fixed = piece->fixed + f->at;
    for (size_t i = 0; i < f->size; i++)
        if ((own[i] ^ code[i]) & fixed[i]) return false;
    return true;
}

/* Whether all of the section's functions are at a place of the window. */
static bool is_whole(const struct piece *piece, struct span window, size_t base)
{
    if (base > window.size || piece->code.size > window.size - base) return false;
    for (size_t i = 0; i < piece->count; i++)
        if (!is_equal(piece, &piece->functions[i], window.at + base + piece->functions[i].at)) return false;
    return true;
}

static int by_size(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

/* The longest runs of fixed bytes; how many. */
static size_t longest_runs(const struct piece *piece, struct span runs[RUNS])
{
    size_t count = 0;
    for (size_t at = 0, size; at < piece->code.size; at += size + 1) {
        for (size = 0; at + size < piece->code.size && piece->fixed[at + size];) size++;
        if (size < RUN_LEAST || (count == RUNS && size <= runs[RUNS - 1].size)) continue;
        if (count < RUNS) count++;
        runs[count - 1] = (struct span){piece->code.at + at, size};
        qsort(runs, count, sizeof *runs, by_size);
    }
    return count;
}

/* Where the section would begin in `text`, by where a run of its bytes is: offsets, which may lie before. */
static size_t bases_of(const struct piece *piece, struct span run, struct span text, ptrdiff_t bases[HITS])
{
    const size_t length = run.size < RUN_MOST ? run.size : RUN_MOST;
    const unsigned char *middle = run.at + (run.size - length) / 2, *at = text.at, *end = text.at + text.size;
    size_t count = 0;
    while (count < HITS && (at = memmem(at, (size_t)(end - at), middle, length))) {
        bases[count++] = (at - text.at) - (middle - piece->code.at);
        at++;
    }
    return count;
}

/* ---- one by one ---- */

static void find_places(struct piece *piece, struct span window)
{
    for (size_t i = 0; i < piece->count; i++) {
        struct function *f = &piece->functions[i];
        f->count = 0;
        if (f->number < 0) continue;
        const size_t first = -(uintptr_t)window.at % STEP;
        for (size_t at = first; at + f->size <= window.size && f->count < PLACES; at += STEP)
            if (is_equal(piece, f, window.at + at)) f->places[f->count++] = at;
    }
}

static bool knows(const ptrdiff_t *bases, size_t count, ptrdiff_t base)
{
    for (size_t i = 0; i < count; i++)
        if (bases[i] == base) return true;
    return false;
}

/* Of several places of a function the one whose offset others share; they stay when it is not one. */
static void choose_by_offset(struct piece *piece)
{
    ptrdiff_t bases[BASES];
    size_t count = 0;
    for (size_t i = 0; i < piece->count; i++) {
        const struct function *f = &piece->functions[i];
        const ptrdiff_t base = f->count == 1 ? (ptrdiff_t)f->places[0] - (ptrdiff_t)f->at : 0;
        if (f->count == 1 && count < BASES && !knows(bases, count, base)) bases[count++] = base;
    }
    for (size_t i = 0; i < piece->count; i++) {
        struct function *f = &piece->functions[i];
        size_t fits = 0, place = 0;
        for (size_t k = 0; k < f->count; k++) {
            if (!knows(bases, count, (ptrdiff_t)f->places[k] - (ptrdiff_t)f->at)) continue;
            place = f->places[k];
            fits++;
        }
        if (fits != 1) continue;
        f->places[0] = place;
        f->count = 1;
    }
}

/* Two functions at one place have none. */
static void part_twins(struct piece *piece)
{
    for (size_t i = 0; i < piece->count; i++)
        for (size_t k = 0; k < i; k++) {
            struct function *a = &piece->functions[i], *b = &piece->functions[k];
            if (a->count && b->count && a->places[0] == b->places[0]) a->count = b->count = 2;
        }
}

/* ---- an object's code ---- */

/* Gives each function its place in a section that begins at `base`; one of several makes each ambiguous. */
static void place_all(struct piece *piece, size_t base, size_t wholes)
{
    for (size_t i = 0; i < piece->count; i++) {
        piece->functions[i].places[0] = base + piece->functions[i].at;
        piece->functions[i].count = wholes;
    }
}

/* The whole section at one of these places: how many have it. */
static size_t find_whole(struct piece *piece, struct span text, const ptrdiff_t *bases, size_t n)
{
    size_t wholes = 0;
    for (size_t i = 0; i < n; i++)
        if (bases[i] >= 0 && is_whole(piece, text, (size_t)bases[i]))
            place_all(piece, (size_t)bases[i], ++wholes);
    return wholes;
}

/* Entries one by one, near where some of the section's bytes are. */
static void find_near(struct piece *piece, struct span text, ptrdiff_t first_base, ptrdiff_t last_base)
{
    const ptrdiff_t end = last_base + (ptrdiff_t)piece->code.size + SLACK;
    const size_t first = first_base > SLACK ? (size_t)first_base - SLACK : 0;
    const size_t last = (size_t)end < text.size ? (size_t)end : text.size;
    find_places(piece, (struct span){text.at + first, last - first});
    for (size_t i = 0; i < piece->count; i++)
        for (size_t k = 0; k < piece->functions[i].count; k++) piece->functions[i].places[k] += first;
    choose_by_offset(piece);
    part_twins(piece);
}

/* Looks for the section as a whole, then for its entries one by one, near the run that has the fewest places.
 * The places of functions are offsets into `text` then. False: it is not there. */
static bool piece_find(struct piece *piece, struct span text)
{
    struct span runs[RUNS];
    ptrdiff_t bases[HITS], first = 0, last = 0;
    const size_t nruns = longest_runs(piece, runs);
    size_t fewest = HITS + 1;
    for (size_t r = 0; r < nruns; r++) {
        const size_t n = bases_of(piece, runs[r], text, bases);
        if (find_whole(piece, text, bases, n)) return true;
        if (!n || n >= fewest) continue;
        fewest = n;
        first = bases[0];
        last = bases[n - 1];
    }
    if (fewest > HITS) return false;
    find_near(piece, text, first, last);
    return true;
}

/* Entries of a section of the archive in a section of the object. False: some have no place, or there is no
 * memory. */
static bool add_entries(const struct piece *piece, uint64_t address, struct px_redirect_entries *entries)
{
    for (size_t i = 0; i < piece->count; i++) {
        const struct function *f = &piece->functions[i];
        if (f->number < 0) continue;
        if (!f->count) return false;
        if (f->count > 1) {
            entries->left++;
            entries->left_name = f->number;
        } else if (!px_redirect_entry_add(entries, f->number, address + f->places[0], f->size))
            return false;
    }
    return true;
}

/* An archive that is compared with an object. */
struct search {
    const struct px_elf *file;
    struct px_redirect_entries *entries;
    unsigned found, other; /* sections that are there, and that are there as another release has them */
};

/* A member that nothing needed is not there at all. */
static void find_in_object(struct piece *piece, struct search *search)
{
    for (unsigned i = 0; i < search->file->count; i++) {
        const Elf64_Shdr *s = &search->file->sections[i];
        if (s->sh_type != SHT_PROGBITS || !(s->sh_flags & SHF_EXECINSTR)) continue;
        const struct span text = {px_elf_bytes(search->file, s), s->sh_size};
        if (!text.at || !piece_find(piece, text)) continue;
        if (add_entries(piece, s->sh_addr, search->entries))
            search->found++;
        else
            search->other++;
    }
}

static void search_member(void *user, const void *at, size_t size)
{
    struct search *search = user;
    struct px_elf member;
    void *own = malloc(size ? size : 1); /* members of an archive lie at any even place */
    if (own && px_elf_read(&member, memcpy(own, at, size), size)) {
        const struct px_symbols symbols = px_elf_symbols(&member, SHT_SYMTAB);
        for (unsigned i = 0; i < member.count; i++) {
            struct piece piece;
            if (!piece_make(&piece, &member, &symbols, i)) continue;
            if (!search->found) search->entries->release = px_redirect_release_of(&symbols);
            find_in_object(&piece, search);
            piece_free(&piece);
        }
    }
    free(own);
}

bool px_redirect_archive(const char *archive, const struct px_elf *file, struct px_redirect_entries *entries)
{
    struct px_elf whole;
    struct search search = {.file = file, .entries = entries};
    px_elf_open(&whole, archive); /* it is no ELF file */
    if (whole.data && px_host_is_archive(whole.data, whole.size))
        px_host_members(whole.data, whole.size, search_member, &search);
    px_elf_close(&whole);
    if (search.found && !search.other && entries->count > entries->left) return true;
    px_redirect_entries_free(entries);
    return false;
}

/* The name of an error that only the runtime has, among what is only read. */
bool px_redirect_holds_runtime(const struct px_elf *file)
{
    static const char text[] = "cudaErrorCudartUnloading";
    for (unsigned i = 0; i < file->count; i++) {
        const Elf64_Shdr *s = &file->sections[i];
        const bool named =
            s->sh_name < file->names_size && strncmp(file->names + s->sh_name, ".rodata", 7) == 0;
        const unsigned char *bytes = s->sh_type == SHT_PROGBITS && named ? px_elf_bytes(file, s) : NULL;
        if (bytes && memmem(bytes, s->sh_size, text, sizeof text)) return true;
    }
    return false;
}
