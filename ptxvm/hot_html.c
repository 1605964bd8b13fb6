/* hot_html.c - --hot=html:FILE: one page, without scripts, pictures or styles from elsewhere.
 *
 * A roofline of all kernels, and for each kernel its sums, its lines with bars, and the first access of a
 * warp of the costliest lines as a picture: which sectors of global memory, or which banks, its 32 lanes
 * touch. */
#include "hot_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fail.h"
#include "ptx_info.h"

enum { LINES_MOST = 200, PICTURES_MOST = 12, SECTOR = 32, BANKS = 32, WORD = 4 };

typedef unsigned long long number;

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>ptxvm --hot</title>\n<style>\n"
    "body { font: 14px/1.4 sans-serif; margin: 2em auto; max-width: 88em; padding: 0 1em; color: #222; }\n"
    "h1 { font-size: 1.4em } h2 { font-size: 1.15em; margin-top: 2em; word-break: break-all }\n"
    "table { border-collapse: collapse } td, th { padding: 1px .6em; text-align: right; white-space: nowrap "
    "}\n"
    "th { border-bottom: 1px solid #999; font-weight: 600 } .bad { color: #b00 }\n"
    "td.t { text-align: left; font-family: monospace; max-width: 36em; overflow: hidden }\n"
    "td.b { min-width: 8em } .bar { background: #d9622b; height: .8em; display: block }\n"
    "dl { display: grid; grid-template-columns: max-content auto; gap: 0 1em } dt { color: #666 }\n"
    "dd { margin: 0 } figure { display: inline-block; margin: .6em 1.5em .6em 0; vertical-align: top }\n"
    "figcaption { font-size: 12px; max-width: 40em } svg text { font: 11px sans-serif; fill: #444 }\n"
    "</style></head><body>\n";

static void put_text(FILE *f, const char *text)
{
    for (; *text; text++) switch (*text) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(*text, f);
        }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- the roofline ---- */

/* What the device could do, by its own numbers: operations and bytes a second. */
struct peaks {
    double flops, bytes;
};

static struct peaks peaks_of(ptx_device *device)
{
    enum { CLOCK = 13, MULTIPROCESSORS = 16, MEMORY_CLOCK = 36, BUS = 37, CORES = 128 };
    int clock = 0, multiprocessors = 0, memory = 0, bus = 0;
    ptx_device_attribute(device, CLOCK, &clock);
    ptx_device_attribute(device, MULTIPROCESSORS, &multiprocessors);
    ptx_device_attribute(device, MEMORY_CLOCK, &memory);
    ptx_device_attribute(device, BUS, &bus);
    return (struct peaks){2.0 * CORES * multiprocessors * clock * 1e3, 2.0 * memory * 1e3 * bus / 8};
}

enum { WIDTH = 640, HEIGHT = 320, LEFT = 70, RIGHT = 25, BOTTOM = 40 };
static const double least_x = -3, most_x = 4; /* powers of ten of operations a byte */

static double at_x(double intensity)
{
    const double x = log10(intensity);
    return LEFT + (WIDTH - LEFT - RIGHT) * (x - least_x) / (most_x - least_x);
}

static double at_y(double flops, const struct peaks *p)
{
    const double top = log10(p->flops) + 0.5, range = 6;
    return (HEIGHT - BOTTOM) * (top - log10(flops)) / range;
}

static double roof(double intensity, const struct peaks *p)
{
    const double by_memory = intensity * p->bytes;
    return by_memory < p->flops ? by_memory : p->flops;
}

static void put_axes(FILE *f, const struct peaks *p)
{
    for (int e = (int)least_x; e <= (int)most_x; e++) {
        const double x = at_x(pow(10, e));
        fprintf(f,
                "<line x1='%.1f' x2='%.1f' y1='0' y2='%d' stroke='#eee'/><text x='%.1f' y='%d' "
                "text-anchor='middle'>%g</text>\n",
                x, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 14, pow(10, e));
    }
    for (int e = (int)log10(p->flops) - 4; e <= (int)log10(p->flops); e++)
        fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%g G/s</text>\n", LEFT - 4,
                at_y(pow(10, e), p) + 4, pow(10, e - 9));
    fprintf(
        f,
        "<text x='%d' y='%d' text-anchor='middle'>floating-point operations a byte of global memory</text>\n",
        (WIDTH + LEFT) / 2, HEIGHT - 8);
}

static void put_roofline(FILE *f, const struct hot_kernel *kernels, unsigned n, ptx_device *device)
{
    const struct peaks p = peaks_of(device);
    const double ridge = p.flops / p.bytes, low = pow(10, least_x), high = pow(10, most_x);
    if (!(p.flops > 0 && p.bytes > 0)) return;
    fprintf(f, "<h2>Roofline</h2>\n<figure><svg width='%d' height='%d' role='img'>\n", WIDTH, HEIGHT);
    put_axes(f, &p);
    fprintf(
        f, "<polyline fill='none' stroke='#333' stroke-width='2' points='%.1f,%.1f %.1f,%.1f %.1f,%.1f'/>\n",
        at_x(low), at_y(roof(low, &p), &p), at_x(ridge), at_y(p.flops, &p), at_x(high), at_y(p.flops, &p));
    unsigned shown = 0;
    for (unsigned i = 0; i < n; i++) {
        const struct sums *s = &kernels[i].sums;
        const double intensity = hot_ratio(s->flops + s->tensor_flops, hot_global_bytes(s));
        if (!(intensity >= low && intensity <= high)) continue;
        const double x = at_x(intensity), y = at_y(roof(intensity, &p), &p);
        fprintf(f,
                "<circle cx='%.1f' cy='%.1f' r='5' fill='#d9622b'/><line x1='%.1f' x2='%.1f' y1='%.1f' "
                "y2='%d' stroke='#d9622b' stroke-dasharray='2,3'/><text x='%.1f' y='%.1f'>",
                x, y, x, x, y, HEIGHT - BOTTOM, x + 8, y + 14 + 13 * (shown++ % 3));
        put_text(f, kernels[i].name);
        fputs("</text>\n", f);
    }
    fprintf(f,
            "</svg><figcaption>%.0f G operations and %.0f GB a second by the device's clocks (f32, without "
            "tensor cores). A point is the "
            "most that a kernel of this intensity could reach; how near a chip comes takes a chip's "
            "clock.</figcaption></figure>\n",
            p.flops / 1e9, p.bytes / 1e9);
}

/* ---- pictures of accesses ---- */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sectors that the lanes touch, in order, each once. */
static unsigned sectors_of(const struct warp_access *a, uint64_t sectors[2 * HOT_WARP])
{
    unsigned n = 0, kept = 0;
    for (unsigned i = 0; i < a->n; i++) {
        sectors[n++] = a->address[i] / SECTOR;
        sectors[n++] = (a->address[i] + a->bytes - 1) / SECTOR;
    }
    qsort(sectors, n, sizeof *sectors, by_value);
    for (unsigned i = 0; i < n; i++)
        if (!i || sectors[i] != sectors[kept - 1]) sectors[kept++] = sectors[i];
    return kept;
}

/* One cell a sector; a lane is a bar where its bytes are. Gaps between sectors are drawn as gaps. */
static void put_sectors(FILE *f, const struct warp_access *a)
{
    enum { CELL = 34, ROW = 16, TALL = 14 };
    uint64_t sectors[2 * HOT_WARP] = {0};
    const unsigned n = sectors_of(a, sectors);
    fprintf(f, "<svg width='%d' height='%u' role='img'>\n", ROW * CELL + 4,
            (n + ROW - 1) / ROW * (TALL + 6) + 4);
    for (unsigned i = 0; i < n; i++) {
        const double x = 2 + (double)(i % ROW) * CELL, y = 2 + (double)(i / ROW) * (TALL + 6);
        const bool apart = i && sectors[i] != sectors[i - 1] + 1;
        fprintf(f, "<rect x='%.1f' y='%.1f' width='32' height='%d' fill='#eee' stroke='%s'/>\n", x, y, TALL,
                apart ? "#b00" : "#999");
        for (unsigned l = 0; l < a->n; l++) {
            const uint64_t from = sectors[i] * SECTOR, to = from + SECTOR, end = a->address[l] + a->bytes;
            const uint64_t first = a->address[l] > from ? a->address[l] : from, last = end < to ? end : to;
            if (first >= last) continue;
            fprintf(f, "<rect x='%.1f' y='%.1f' width='%llu' height='%d' fill='hsl(%u,60%%,50%%)'/>\n",
                    x + (double)(first - from), y, (number)(last - first), TALL, l * 360 / HOT_WARP);
        }
    }
    fputs("</svg>", f);
}

/* A column a bank; words of one bank, which go one after the other, are stacked. */
static void put_banks(FILE *f, const struct warp_access *a)
{
    enum { CELL = 16, TALL = 10 };
    uint64_t words[4 * HOT_WARP] = {0};
    unsigned lane[4 * HOT_WARP] = {0}, n = 0, height[BANKS] = {0}, most = 1;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned b = 0; b < a->bytes && n < 4 * HOT_WARP; b += WORD) {
            const uint64_t word = (a->address[i] + b) / WORD;
            unsigned k = 0;
            while (k < n && words[k] != word) k++;
            if (k < n) continue;
            lane[n] = i;
            words[n++] = word;
        }
    for (unsigned i = 0; i < n; i++)
        if (++height[words[i] % BANKS] > most) most = height[words[i] % BANKS];
    fprintf(f, "<svg width='%d' height='%u' role='img'>\n", BANKS * CELL + 4, most * (TALL + 1) + 16);
    memset(height, 0, sizeof height);
    for (unsigned i = 0; i < n; i++) {
        const unsigned bank = (unsigned)(words[i] % BANKS), at = height[bank]++;
        fprintf(f, "<rect x='%u' y='%u' width='%d' height='%d' fill='hsl(%u,60%%,50%%)'/>\n", 2 + bank * CELL,
                most * (TALL + 1) - (at + 1) * (TALL + 1) + 2, CELL - 2, TALL, lane[i] * 360 / HOT_WARP);
    }
    for (unsigned b = 0; b < BANKS; b += 4)
        fprintf(f, "<text x='%u' y='%u'>%u</text>\n", 2 + b * CELL, most * (TALL + 1) + 13, b);
    fputs("</svg>", f);
}

static void put_picture(FILE *f, const struct line *l)
{
    const struct warp_access *a = &l->access;
    const bool shared = a->reached == PTX_COUNT_SHARED;
    uint64_t sectors[2 * HOT_WARP] = {0};
    fputs("<figure>", f);
    if (shared)
        put_banks(f, a);
    else
        put_sectors(f, a);
    fputs("<figcaption>", f);
    put_text(f, base_name(l->file));
    fprintf(f, ":%u, the first warp: %u lanes of %u bytes, ", l->number, a->n, a->bytes);
    if (shared)
        fputs("by bank, words of a bank stacked", f);
    else
        fprintf(f, "%u sectors of 32 bytes; a red frame: not behind the one before it",
                sectors_of(a, sectors));
    fputs("</figcaption></figure>\n", f);
}

/* ---- a kernel ---- */

__attribute__((format(printf, 3, 4))) static void put_fact(FILE *f, const char *name, const char *format, ...)
{
    va_list args;
    fprintf(f, "<dt>%s</dt><dd>", name);
    va_start(args, format);
    vfprintf(f, format, args);
    va_end(args);
    fputs("</dd>\n", f);
}

static void put_facts(FILE *f, const struct hot_kernel *k)
{
    const struct sums *s = &k->sums;
    const struct occupancy *o = &k->occupancy;
    fputs("<dl>\n", f);
    put_fact(
        f, "executed",
        "%llu thread-instructions, %llu warp-instructions, %.1f of 32 lanes active, %llu branches divided",
        (number)s->threads, (number)s->warps, hot_ratio(s->threads, s->warps), (number)s->divided);
    if (s->requests)
        put_fact(f, "global memory", "%llu requests, %llu sectors (ideal %llu), %llu bytes",
                 (number)s->requests, (number)s->sectors, (number)s->sectors_ideal,
                 (number)hot_global_bytes(s));
    if (s->accesses)
        put_fact(f, "shared memory", "%llu accesses, %llu wavefronts, %llu of them for bank conflicts",
                 (number)s->accesses, (number)s->wavefronts, (number)(s->wavefronts - s->wavefronts_ideal));
    if (s->atomics)
        put_fact(f, "atomics", "%llu lanes, %llu at an address of another lane", (number)s->atomics,
                 (number)s->collisions);
    if (s->flops || s->tensor_flops)
        put_fact(f, "operations",
                 "%llu of floating point, %llu by tensor cores, %.3g a byte of global memory",
                 (number)s->flops, (number)s->tensor_flops,
                 hot_ratio(s->flops + s->tensor_flops, hot_global_bytes(s)));
    if (o->threads > 1)
        put_fact(
            f, "occupancy",
            "%u to %u blocks of %u threads on a multiprocessor, limited by %s; %u to %u registers a thread",
            o->least, o->most, o->threads, o->limit, o->registers[0], o->registers[1]);
    fputs("</dl>\n", f);
}

static void put_pair(FILE *f, uint64_t any, uint64_t value, uint64_t ideal)
{
    if (!any)
        fputs("<td></td>", f);
    else
        fprintf(f, "<td%s>%llu (%llu)</td>", value > 2 * ideal ? " class='bad'" : "", (number)value,
                (number)ideal);
}

static void put_line(FILE *f, const struct hot_kernel *k, const struct line *l, const struct modules *modules)
{
    const struct sums *s = &l->sums;
    const double part = 100 * hot_ratio(s->warps, k->sums.warps);
    char *text = hot_text(modules, l->file, l->number);
    fprintf(
        f,
        "<tr><td class='b'><span class='bar' "
        "style='width:%.1f%%'></span></td><td>%.1f</td><td>%llu</td><td>%.1f</td><td>%llu</td><td>%llu</td>",
        part, part, (number)s->warps, hot_ratio(s->threads, s->warps), (number)s->divided,
        (number)(s->flops + s->tensor_flops));
    put_pair(f, s->requests, s->sectors, s->sectors_ideal);
    put_pair(f, s->accesses, s->wavefronts, s->wavefronts_ideal);
    if (s->atomics)
        fprintf(f, "<td>%llu (%llu)</td>", (number)s->atomics, (number)s->collisions);
    else
        fputs("<td></td>", f);
    fputs("<td class='t'>", f);
    put_text(f, base_name(l->file));
    fprintf(f, ":%u</td><td class='t'>", l->number);
    if (text) put_text(f, text);
    fputs("</td></tr>\n", f);
    free(text);
}

static int by_cost(const void *a, const void *b)
{
    const struct line *const *x = a, *const *y = b;
    return (*x)->access.cost < (*y)->access.cost ? 1 : (*x)->access.cost > (*y)->access.cost ? -1 : 0;
}

static void put_pictures(FILE *f, const struct hot_kernel *k)
{
    const struct line **list = must_alloc((k->n + 1) * sizeof *list);
    unsigned n = 0;
    for (unsigned i = 0; i < k->n; i++)
        if (k->lines[i].access.n) list[n++] = &k->lines[i];
    qsort(list, n, sizeof *list, by_cost);
    if (n) fputs("<h3>How a warp's lanes lie</h3>\n", f);
    for (unsigned i = 0; i < n && i < PICTURES_MOST; i++) put_picture(f, list[i]);
    free(list);
}

static void put_kernel(FILE *f, const struct hot_kernel *k, const struct modules *modules)
{
    fputs("<h2>", f);
    put_text(f, k->name);
    fprintf(f, ": %.1f%% of the instructions</h2>\n", k->percent);
    put_facts(f, k);
    fputs("<table><tr><th></th><th>%</th><th>warp-instr.</th><th>lanes</th><th>divided</th><th>FLOPs</"
          "th><th>sectors "
          "(ideal)</th><th>wavefronts (ideal)</th><th>atomics (same)</th><th>line</th><th></th></tr>\n",
          f);
    for (unsigned i = 0; i < k->n && i < LINES_MOST; i++) put_line(f, k, &k->lines[i], modules);
    fputs("</table>\n", f);
    put_pictures(f, k);
}

void hot_html(FILE *f, const struct hot_kernel *kernels, unsigned n, ptx_device *device,
              const struct modules *modules)
{
    fputs(head, f);
    fputs("<h1>Where time and traffic go</h1>\n<p>Instructions are PTX's, and warps those of the virtual "
          "machine; "
          "what takes a chip's clock (stalls, cache hits) is not here.</p>\n",
          f);
    put_roofline(f, kernels, n, device);
    for (unsigned i = 0; i < n; i++) put_kernel(f, &kernels[i], modules);
    fputs("</body></html>\n", f);
}
