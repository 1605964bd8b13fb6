/*
 * print.c - vprintf and assertions (device-runtime.md, section 8).
 *
 * The argument buffer is read as the format says: each argument at the next
 * multiple of its size, 4 or 8. What is not a known conversion (`%.*f` is none:
 * a precision is digits), and what comes after 32 arguments, is copied as it
 * stands. A whole call's text goes to the embedder at once.
 */
#include "cdp/state.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FORMAT_MAX = 1 << 16, STRING_MAX = 1 << 16, ARGS_MAX = 32, SPEC_MAX = 64, FIELD_MAX = 1 << 20 };

struct text {
    const ptx_allocator *alloc;
    char *at;
    size_t n, cap;
    bool failed;
};

struct print {
    struct px_call *call;
    struct text out;
    uint64_t args;   /* address of the argument buffer */
    uint64_t offset; /* of the next argument */
    int count;
    bool fault;
    bool stopped; /* the launch is to stop: the text is not wanted */
};

/* One conversion as written. */
struct spec {
    const char *from, *end; /* '%' and the byte behind the conversion */
    char flags[8];
    int width, precision; /* -1: not given */
    bool star_width;
    unsigned bytes; /* of an integer argument, by its length modifier: 1, 2, 4, 8 */
    char conversion;
};

static bool make_room(struct text *t, size_t more)
{
    if (t->failed || more < t->cap - t->n) return !t->failed;
    size_t cap = t->cap * 2 + more + 256;
    char *at = px_realloc(t->alloc, t->at, t->cap, cap);
    if (!at) return t->failed = true, false;
    t->at = at;
    t->cap = cap;
    return true;
}

static void put(struct text *t, const char *s, size_t n)
{
    if (!make_room(t, n)) return;
    memcpy(t->at + t->n, s, n);
    t->n += n;
}

static void __attribute__((format(printf, 2, 3))) putf(struct text *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0 && make_room(t, (size_t)n + 1))
        t->n += (size_t)vsnprintf(t->at + t->n, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
}

/* ---- formats ---- */

static const char *read_number(const char *p, int *value)
{
    *value = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (*value <= FIELD_MAX) *value = *value * 10 + (*p - '0');
    if (*value > FIELD_MAX) *value = FIELD_MAX;
    return p;
}

static const char *read_length(const char *p, unsigned *bytes)
{
    *bytes = 4;
    if (p[0] == 'h') {
        *bytes = p[1] == 'h' ? 1 : 2;
        return p + (p[1] == 'h' ? 2 : 1);
    }
    if (p[0] == 'l') {
        *bytes = 8;
        return p + (p[1] == 'l' ? 2 : 1);
    }
    return p;
}

/* Reads %[flags][width][.precision][length]conversion; false when it is no known one. */
static bool read_spec(const char *p, struct spec *s)
{
    size_t n = 0;
    *s = (struct spec){.from = p++, .width = -1, .precision = -1};
    for (; *p && strchr("-+ #0", *p); p++)
        if (n + 1 < sizeof s->flags && !strchr(s->flags, *p)) s->flags[n++] = *p;
    if (*p == '*')
        s->star_width = true, p++;
    else if (*p >= '1' && *p <= '9')
        p = read_number(p, &s->width);
    if (*p == '.') p = read_number(p + 1, &s->precision);
    p = read_length(p, &s->bytes);
    s->conversion = *p;
    s->end = *p ? p + 1 : p;
    return *p && strchr("diouxXcspfFeEgGaA", *p);
}

/* ---- arguments ---- */

static uint64_t next_argument(struct print *p, unsigned size)
{
    uint64_t value = 0;
    p->offset = (p->offset + size - 1) / size * size;
    if (!p->args || !px_call_read(p->call, &value, p->args + p->offset, size)) p->fault = true;
    p->offset += size;
    p->count++;
    return value;
}

static int width_of(struct print *p, const struct spec *s)
{
    if (!s->star_width) return s->width < 0 ? 0 : s->width;
    int32_t value = (int32_t)next_argument(p, 4);
    return value > FIELD_MAX ? FIELD_MAX : value < -FIELD_MAX ? -FIELD_MAX : value;
}

static void put_integer(struct print *p, const char *format, int width, int precision, const struct spec *s)
{
    const uint64_t bits = next_argument(p, s->bytes == 8 ? 8 : 4);
    const unsigned cut = 64 - 8 * s->bytes;
    const bool is_signed = s->conversion == 'd' || s->conversion == 'i';
    const long long value = is_signed ? (int64_t)(bits << cut) >> cut : (int64_t)(bits << cut >> cut);
    putf(&p->out, format, width, precision, value);
}

static void put_string(struct print *p, const char *format, int width, int precision)
{
    const uint64_t va = next_argument(p, 8);
    char *s = px_alloc(p->out.alloc, STRING_MAX);
    if (!s) {
        p->out.failed = true;
        return;
    }
    if (!va)
        memcpy(s, "(null)", 7);
    else if (!px_call_string(p->call, va, s, STRING_MAX))
        p->fault = true;
    if (!p->fault) putf(&p->out, format, width, precision, s);
    px_free(p->out.alloc, s, STRING_MAX);
}

static void put_double(struct print *p, const char *format, int width, int precision)
{
    const uint64_t bits = next_argument(p, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    putf(&p->out, format, width, precision, value);
}

/* One conversion, through the C library's own: width and precision are passed as arguments. */
static void put_conversion(struct print *p, const struct spec *s)
{
    char format[SPEC_MAX];
    const int width = width_of(p, s), precision = s->precision;
    const bool integer = strchr("diouxX", s->conversion) != NULL;
    snprintf(format, sizeof format, "%%%s*.*%s%c", s->flags, integer ? "ll" : "", s->conversion);
    if (integer)
        put_integer(p, format, width, precision, s);
    else if (s->conversion == 's')
        put_string(p, format, width, precision);
    else if (s->conversion == 'c')
        putf(&p->out, format, width, precision, (int)next_argument(p, 4));
    else if (s->conversion == 'p')
        putf(&p->out, format, width, precision, (void *)(uintptr_t)next_argument(p, 8));
    else
        put_double(p, format, width, precision);
}

/* More text than may be printed: the rest of it need not be made. */
static bool is_too_long(const struct print *p)
{
    const ptx_device_config *config = &p->call->grid->device->config;
    return config->output && p->out.n > config->max_output;
}

static void put_all(struct print *p, const char *format)
{
    struct spec s;
    while (*format && !p->fault && !p->stopped && !is_too_long(p)) {
        const size_t plain = strcspn(format, "%");
        put(&p->out, format, plain);
        format += plain;
        if (!*format) break;
        if (format[1] == '%') {
            put(&p->out, "%", 1);
            format += 2;
        } else if (p->count < ARGS_MAX && read_spec(format, &s)) {
            put_conversion(p, &s);
            format = s.end;
            p->stopped = px_sched_due(p->call->grid->run);
        } else {
            put(&p->out, format++, 1);
        }
    }
}

static locale_t enter_c_locale(struct ptx_device *device)
{
    px_sched_lock(&device->sched);
    const struct cdp_device *cd = cdp_of_device(device);
    px_sched_unlock(&device->sched);
    return cd && cd->c_locale ? uselocale(cd->c_locale) : (locale_t)0;
}

static enum px_ext finish(struct print *p, const char *format)
{
    struct px_call *call = p->call;
    const locale_t before = enter_c_locale(call->grid->device);
    put_all(p, format);
    if (before) uselocale(before);
    if (!p->fault && !p->out.failed && !p->stopped) px_device_output(call->grid, p->out.at, p->out.n);
    px_free(p->out.alloc, p->out.at, p->out.cap);
    if (p->stopped) return PX_EXT_PARK;
    if (p->fault)
        return cdp_trap(call, PX_CUDA_ILLEGAL_ADDRESS, p->args + p->offset,
                        "printf: argument %d, or the string that it points to, cannot be read", p->count);
    return cdp_answer_only(call, p->out.failed ? -2 : p->count);
}

enum px_ext cdp_vprintf(struct px_call *call)
{
    const ptx_allocator *alloc = px_device_allocator(call->grid->device);
    const uint64_t va = cdp_arg64(call, 0);
    struct print p = {.call = call, .out = {.alloc = alloc}, .args = cdp_arg64(call, 8)};
    if (!va) return cdp_answer_only(call, -1);
    char *format = px_alloc(alloc, FORMAT_MAX);
    if (!format) return cdp_answer_only(call, -2);
    enum px_ext r;
    if (px_call_string(call, va, format, FORMAT_MAX))
        r = finish(&p, format);
    else
        r = cdp_trap(call, PX_CUDA_ILLEGAL_ADDRESS, va, "printf: the format at 0x%llx cannot be read",
                     (unsigned long long)va);
    px_free(alloc, format, FORMAT_MAX);
    return r;
}

/* ---- assertions ---- */

static void read_text(struct px_call *call, uint64_t va, char *buf, size_t n)
{
    if (!va || !px_call_string(call, va, buf, n)) snprintf(buf, n, "?");
}

enum px_ext cdp_assertfail(struct px_call *call)
{
    char expression[512], file[512], function[512], line[2048];
    uint32_t cta[3], thread[3];
    read_text(call, cdp_arg64(call, 0), expression, sizeof expression);
    read_text(call, cdp_arg64(call, 8), file, sizeof file);
    read_text(call, cdp_arg64(call, 24), function, sizeof function);
    px_call_place(call, cta, thread);
    int n = snprintf(
        line, sizeof line, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
        cdp_arg32(call, 16), function, cta[0], cta[1], cta[2], thread[0], thread[1], thread[2], expression);
    px_device_output(call->grid, line, (size_t)n);
    return cdp_trap(call, PX_CUDA_ASSERT, 0, "assertion `%.150s` failed", expression);
}
