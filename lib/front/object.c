/*
 * object.c - reads and writes object files.
 *
 * Sections of a file, in the order written: the note (format, number of modules,
 * checksum, maker), a comment for people, then for each module its text (.ptx)
 * and three or four strings about it (.ptx.about), and the sections' names. The reader
 * finds sections by name, so that a tool that adds sections of its own does no
 * harm. Every number is little-endian and read bytewise; no offset is used before
 * it was held against the size of the file.
 */
#include "front/object.h"
#include <elf.h>
#include <string.h>

enum {
    MACHINE_CUDA = 190,
    CUDA_ABI = 0x41, /* EI_OSABI and EI_ABIVERSION of CUDA 13.0's object files */
    CUDA_ABI_VERSION = 8,
    EHDR = 64,
    SHDR = 64,
    NOTE_HEAD = 12,
    NOTE_NAME = 8,
    NOTE_DESC = 24,
    NOTE_TYPE = 1
};
enum { NOTE_SIZE = NOTE_HEAD + NOTE_NAME + NOTE_DESC, MOST_SECTIONS = 4 * PX_OBJECT_MODULES };

static const char note_owner[NOTE_NAME] = "ptxvm"; /* padded to four bytes as notes are */
static const char comment[] = "Made by ptxas of ptxvm: checked PTX text. It holds no machine code.";

/* The sections' names; NAME_ constants are offsets into it. */
static const char section_names[] = "\0.shstrtab\0.note.ptxvm\0.comment\0.ptx\0.ptx.about";
enum { NAME_STRTAB = 1, NAME_NOTE = 11, NAME_COMMENT = 23, NAME_PTX = 32, NAME_ABOUT = 37 };

/* ---- checksum: FNV-1a, in which a change of one byte always shows ---- */

static uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) sum = (sum ^ p[i]) * 0x100000001b3u;
    return sum;
}

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static const char *profile_of(const struct px_object_module *module)
{
    return module->all ? "all" : "13.0";
}

/* The fourth string, which stands only where it says something. */
static const char no_fmad[] = "-fmad=false";

static size_t about_size(const struct px_object_module *module)
{
    return strlen(module->file) + strlen(module->arch) + strlen(profile_of(module)) + 3 +
           (module->no_fmad ? sizeof no_fmad : 0);
}

/* Of a module's strings and text with their sizes. */
static uint64_t sum_module(uint64_t sum, const struct px_object_module *module)
{
    unsigned char sizes[16];
    put(sizes, module->size, 8);
    put(sizes + 8, about_size(module), 8);
    sum = sum_bytes(sum, sizes, sizeof sizes);
    sum = sum_bytes(sum, module->file, strlen(module->file) + 1);
    sum = sum_bytes(sum, module->arch, strlen(module->arch) + 1);
    sum = sum_bytes(sum, profile_of(module), strlen(profile_of(module)) + 1);
    if (module->no_fmad) sum = sum_bytes(sum, no_fmad, sizeof no_fmad);
    return sum_bytes(sum, module->text, module->size);
}

static const uint64_t first_sum = 0xcbf29ce484222325u;

/* ---- reading ---- */

struct section {
    uint32_t name, type;
    uint64_t offset, size;
};

/* False when its bytes are not all in the file. */
static bool section_at(const struct px_object *object, uint32_t index, struct section *section)
{
    const unsigned char *at = object->data + object->table + (uint64_t)index * SHDR;
    section->name = (uint32_t)get(at, 4);
    section->type = (uint32_t)get(at + 4, 4);
    section->offset = get(at + 24, 8);
    section->size = get(at + 32, 8);
    if (section->type == SHT_NULL || section->type == SHT_NOBITS) section->offset = section->size = 0;
    return section->offset <= object->size && section->size <= object->size - section->offset;
}

static bool is_named(const struct px_object *object, const struct section *section, const char *name)
{
    struct section names;
    const size_t length = strlen(name) + 1;
    if (!section_at(object, object->names, &names)) return false;
    return section->name < names.size && length <= names.size - section->name &&
           memcmp(object->data + names.offset + section->name, name, length) == 0;
}

/* The next section called `name` from *index on; *index moves behind it. */
static bool find_section(const struct px_object *object, const char *name, uint32_t *index,
                         struct section *section)
{
    while (*index < object->sections) {
        const bool inside = section_at(object, (*index)++, section);
        if (inside && is_named(object, section, name)) return true;
    }
    return false;
}

static enum px_object_state damaged(struct px_object *object, const char *what)
{
    object->damage = what;
    return PX_OBJECT_DAMAGED;
}

static enum px_object_state open_header(struct px_object *object)
{
    const unsigned char *data = object->data;
    if (object->size < EHDR) return damaged(object, "the ELF header is cut off");
    object->machine = (uint32_t)get(data + 18, 2);
    if (object->machine != MACHINE_CUDA) return PX_OBJECT_HOST;
    if (data[EI_CLASS] != ELFCLASS64 || data[EI_DATA] != ELFDATA2LSB || get(data + 58, 2) != SHDR)
        return damaged(object, "the ELF header is not that of a 64-bit little-endian file");
    object->table = get(data + 40, 8);
    object->sections = (uint32_t)get(data + 60, 2);
    object->names = (uint32_t)get(data + 62, 2);
    if (object->table > object->size || object->sections > (object->size - object->table) / SHDR)
        return damaged(object, "the section table is cut off");
    if (object->sections > MOST_SECTIONS) return damaged(object, "it has too many sections");
    if (object->names >= object->sections) return damaged(object, "the sections have no names");
    return PX_OBJECT_FINE;
}

static enum px_object_state open_note(struct px_object *object)
{
    struct section note;
    uint32_t index = 0;
    if (!find_section(object, ".note.ptxvm", &index, &note)) return PX_OBJECT_CODE;
    const unsigned char *at = object->data + note.offset;
    if (note.size != NOTE_SIZE || get(at, 4) != sizeof "ptxvm" || get(at + 4, 4) != NOTE_DESC ||
        get(at + 8, 4) != NOTE_TYPE || memcmp(at + NOTE_HEAD, note_owner, NOTE_NAME) != 0)
        return damaged(object, "the note is malformed");
    at += NOTE_HEAD + NOTE_NAME;
    object->format = (uint32_t)get(at, 4);
    object->modules = (uint32_t)get(at + 4, 4);
    object->checksum = get(at + 8, 8);
    if (object->format != PX_OBJECT_FORMAT) return PX_OBJECT_NEWER;
    if (!object->modules || object->modules > PX_OBJECT_MODULES)
        return damaged(object, "the number of modules is out of range");
    return PX_OBJECT_FINE;
}

/* The string at *at, which ends before `end`; NULL when it does not. */
static const char *next_string(const char **at, const char *end)
{
    const char *string = *at, *zero = memchr(string, 0, (size_t)(end - string));
    *at = zero ? zero + 1 : end;
    return zero ? string : NULL;
}

/* The module whose sections come next from the two indices on. */
static bool next_module(const struct px_object *object, uint32_t *text_index, uint32_t *about_index,
                        struct px_object_module *module)
{
    struct section text, about;
    if (!find_section(object, ".ptx", text_index, &text) ||
        !find_section(object, ".ptx.about", about_index, &about))
        return false;
    const char *at = (const char *)object->data + about.offset, *end = at + about.size;
    module->file = next_string(&at, end);
    module->arch = next_string(&at, end);
    const char *profile = next_string(&at, end);
    const char *fourth = at < end ? next_string(&at, end) : NULL;
    module->no_fmad = fourth && strcmp(fourth, no_fmad) == 0;
    if (fourth && !module->no_fmad) return false;
    module->text = (const char *)object->data + text.offset;
    module->size = text.size;
    module->all = profile && strcmp(profile, "all") == 0;
    return profile && at == end && strcmp(profile, profile_of(module)) == 0;
}

static enum px_object_state open_modules(struct px_object *object)
{
    uint32_t text = 0, about = 0;
    uint64_t sum = first_sum;
    struct px_object_module module;
    struct section more;
    for (uint32_t i = 0; i < object->modules; i++) {
        if (!next_module(object, &text, &about, &module))
            return damaged(object, "a module is missing or cut off");
        sum = sum_module(sum, &module);
    }
    if (find_section(object, ".ptx", &text, &more) || find_section(object, ".ptx.about", &about, &more))
        return damaged(object, "it has more modules than it says");
    object->sum = sum;
    return sum == object->checksum ? PX_OBJECT_FINE : damaged(object, "the checksum does not fit");
}

enum px_object_state px_object_open(struct px_object *object, const void *data, size_t size)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    *object = (struct px_object){.data = data, .size = size};
    if (size >= sizeof fatbin && memcmp(data, fatbin, sizeof fatbin) == 0) return PX_OBJECT_FATBIN;
    if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0) return PX_OBJECT_NONE;
    enum px_object_state state = open_header(object);
    if (state == PX_OBJECT_FINE) state = open_note(object);
    return state == PX_OBJECT_FINE ? open_modules(object) : state;
}

bool px_object_module(const struct px_object *object, uint32_t index, struct px_object_module *module)
{
    uint32_t text = 0, about = 0;
    for (uint32_t i = 0; i <= index; i++)
        if (i >= object->modules || !next_module(object, &text, &about, module)) return false;
    return true;
}

void px_object_complain(struct px_diags *diags, enum px_object_state state, const struct px_object *object,
                        const char *file)
{
    switch (state) {
    case PX_OBJECT_CODE: px_diag_add(diags, PX_D_OBJECT_CODE, PX_NO_PLACE, 0, file); break;
    case PX_OBJECT_HOST: px_diag_add(diags, PX_D_OBJECT_HOST, PX_NO_PLACE, 0, file, object->machine); break;
    case PX_OBJECT_FATBIN: px_diag_add(diags, PX_D_OBJECT_FATBIN, PX_NO_PLACE, 0, file); break;
    case PX_OBJECT_NEWER:
        px_diag_add(diags, PX_D_OBJECT_NEWER, PX_NO_PLACE, 0, file, object->format,
                    (unsigned)PX_OBJECT_FORMAT);
        break;
    case PX_OBJECT_MANY: px_diag_add(diags, PX_D_OBJECT_MANY, PX_NO_PLACE, 0, file, object->modules); break;
    default: px_diag_add(diags, PX_D_OBJECT_DAMAGED, PX_NO_PLACE, 0, file, object->damage); break;
    }
}

/* ---- writing ---- */

struct writer {
    ptx_write_fn write;
    void *user;
    uint64_t at; /* bytes written */
    bool stopped;
};

static void emit(struct writer *w, const void *bytes, size_t n)
{
    if (!w->stopped && n) w->stopped = w->write(w->user, bytes, n) != 0;
    w->at += n;
}

static uint64_t align8(uint64_t n)
{
    return (n + 7) & ~(uint64_t)7;
}

/* As in the objects of CUDA 13.0, whose fatbinary asks for the architecture that it was told of: the newest.
 */
static uint32_t flags_of(const struct px_object_module *modules, uint32_t n)
{
    unsigned sm = 0;
    for (uint32_t i = 0; i < n; i++)
        if (modules[i].sm > sm) sm = modules[i].sm;
    return 0x06000000u | sm << 8 | (sm < 100 ? 4u : 2u);
}

static void emit_header(struct writer *w, uint64_t table, uint32_t sections, uint32_t flags)
{
    unsigned char header[EHDR] = {0};
    memcpy(header, ELFMAG, SELFMAG);
    header[EI_CLASS] = ELFCLASS64;
    header[EI_DATA] = ELFDATA2LSB;
    header[EI_VERSION] = EV_CURRENT;
    header[EI_OSABI] = CUDA_ABI;
    header[EI_ABIVERSION] = CUDA_ABI_VERSION;
    put(header + 16, ET_REL, 2);
    put(header + 18, MACHINE_CUDA, 2);
    put(header + 20, EV_CURRENT, 4);
    put(header + 40, table, 8);
    put(header + 48, flags, 4);
    put(header + 52, EHDR, 2);
    put(header + 58, SHDR, 2);
    put(header + 60, sections, 2);
    put(header + 62, sections - 1, 2);
    emit(w, header, sizeof header);
}

static void emit_note(struct writer *w, uint32_t n, uint64_t sum)
{
    unsigned char note[NOTE_SIZE];
    put(note, sizeof "ptxvm", 4);
    put(note + 4, NOTE_DESC, 4);
    put(note + 8, NOTE_TYPE, 4);
    memcpy(note + NOTE_HEAD, note_owner, NOTE_NAME);
    unsigned char *desc = note + NOTE_HEAD + NOTE_NAME;
    put(desc, PX_OBJECT_FORMAT, 4);
    put(desc + 4, n, 4);
    put(desc + 8, sum, 8);
    put(desc + 16, PTX_VERSION_MAJOR, 4);
    put(desc + 20, PTX_VERSION_MINOR, 4);
    emit(w, note, sizeof note);
}

static void emit_about(struct writer *w, const struct px_object_module *module)
{
    emit(w, module->file, strlen(module->file) + 1);
    emit(w, module->arch, strlen(module->arch) + 1);
    emit(w, profile_of(module), strlen(profile_of(module)) + 1);
    if (module->no_fmad) emit(w, no_fmad, sizeof no_fmad);
}

/* A section header; *offset moves behind the section's bytes. */
static void emit_section(struct writer *w, const struct section *section, uint64_t *offset)
{
    unsigned char header[SHDR] = {0};
    const bool strings = section->name == NAME_COMMENT;
    put(header, section->name, 4);
    put(header + 4, section->type, 4);
    put(header + 8, strings ? SHF_MERGE | SHF_STRINGS : 0, 8);
    put(header + 24, *offset, 8);
    put(header + 32, section->size, 8);
    put(header + 48, section->type == SHT_NOTE ? 4 : 1, 8);
    put(header + 56, strings, 8);
    emit(w, header, sizeof header);
    *offset += section->size;
}

static void emit_table(struct writer *w, const struct px_object_module *modules, uint32_t n)
{
    static const unsigned char none[SHDR];
    uint64_t offset = EHDR;
    emit(w, none, sizeof none);
    emit_section(w, &(struct section){NAME_NOTE, SHT_NOTE, 0, NOTE_SIZE}, &offset);
    emit_section(w, &(struct section){NAME_COMMENT, SHT_PROGBITS, 0, sizeof comment}, &offset);
    for (uint32_t i = 0; i < n; i++) {
        emit_section(w, &(struct section){NAME_PTX, SHT_PROGBITS, 0, modules[i].size}, &offset);
        emit_section(w, &(struct section){NAME_ABOUT, SHT_PROGBITS, 0, about_size(&modules[i])}, &offset);
    }
    emit_section(w, &(struct section){NAME_STRTAB, SHT_STRTAB, 0, sizeof section_names}, &offset);
}

bool px_object_write(const struct px_object_module *modules, uint32_t n, ptx_write_fn write, void *user)
{
    static const unsigned char zeros[8];
    struct writer w = {.write = write, .user = user};
    uint64_t end = EHDR + NOTE_SIZE + sizeof comment + sizeof section_names, sum = first_sum;
    if (!n || n > PX_OBJECT_MODULES) return false;
    for (uint32_t i = 0; i < n; i++) {
        end += modules[i].size + about_size(&modules[i]);
        sum = sum_module(sum, &modules[i]);
    }
    emit_header(&w, align8(end), 4 + 2 * n, flags_of(modules, n));
    emit_note(&w, n, sum);
    emit(&w, comment, sizeof comment);
    for (uint32_t i = 0; i < n; i++) {
        emit(&w, modules[i].text, modules[i].size);
        emit_about(&w, &modules[i]);
    }
    emit(&w, section_names, sizeof section_names);
    emit(&w, zeros, (size_t)(align8(end) - end));
    emit_table(&w, modules, n);
    return !w.stopped;
}
