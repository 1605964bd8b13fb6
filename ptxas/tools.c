/* tools.c - what ptxas does beside checking: which tool a command line asks for. */
#include "tools.h"

#include "diff.h"
#include "fix.h"
#include "format.h"
#include "lsp.h"
#include "messages.h"
#include "reduce.h"

static const struct tool {
    enum option_id option;
    bool reads_files;
    int (*run)(const struct options *options);
} tools[] = {{OPTION_LSP, false, lsp_run},      {OPTION_DIFF, true, diff_run},
             {OPTION_REDUCE, true, reduce_run}, {OPTION_FIX, true, fix_run},
             {OPTION_STRIP, true, format_run}, /* its result is formatted, with --format or without */
             {OPTION_FORMAT, true, format_run}};

enum { TOOLS = sizeof tools / sizeof *tools };

bool tools_asked(const struct options *options)
{
    for (int i = 0; i < TOOLS; i++)
        if (option_given(options, tools[i].option)) return true;
    return false;
}

int tools_run(const struct options *options)
{
    const struct tool *chosen = NULL;
    for (int i = 0; i < TOOLS; i++) {
        if (!option_given(options, tools[i].option) || (chosen && chosen->run == tools[i].run)) continue;
        if (chosen) {
            message_plain(PTX_FATAL, "Conflicting options '--%s' and '--%s' specified",
                          option_row(chosen->option)->name, option_row(tools[i].option)->name);
            return 255;
        }
        chosen = &tools[i];
    }
    if (chosen->reads_files && options->files.n == 0) {
        message_plain(PTX_FATAL, "'--%s' wants a file; - is standard input",
                      option_row(chosen->option)->name);
        return 255;
    }
    return chosen->run(options);
}
