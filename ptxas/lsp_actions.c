/* lsp_actions.c - code actions: the edits that the checker proposes. */
#include <string.h>
#include "lsp_file.h"
#include "ptx_tools.h"

static json_t *edit_of(const struct lsp_file *file, const ptx_fix *fix)
{
    const uint32_t from = (uint32_t)fix->offset;
    return json_pack("{s:o,s:s}", "range", lsp_range(file, from, from + (uint32_t)fix->length), "newText",
                     fix->text);
}

/* {"changes": {uri: edits}} */
static json_t *workspace_edit(const struct lsp_file *file, json_t *edits)
{
    json_t *changes = json_object();
    json_object_set_new(changes, file->uri, edits);
    return json_pack("{s:o}", "changes", changes);
}

static void add_quick_fixes(const struct lsp_file *file, size_t i, const ptx_diagnostic *d, json_t *list)
{
    ptx_fix fix;
    for (size_t k = 0; ptx_module_fix(file->document.module, i, k, &fix) == PTX_OK; k++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:b,s:[o],s:o}", "title", fix.title, "kind",
                                              "quickfix", "isPreferred", fix.certain && k == 0, "diagnostics",
                                              lsp_diagnostic(file, i, d), "edit",
                                              workspace_edit(file, json_pack("[o]", edit_of(file, &fix)))));
}

/* The certain edits, as --fix has them in its first round; of two that touch the first in the list. */
static json_t *fix_all(const struct lsp_file *file)
{
    json_t *edits = json_array();
    const ptx_module *module = file->document.module;
    size_t end = 0;
    ptx_fix fix;
    for (size_t i = 0; i < ptx_module_diagnostic_count(module); i++) {
        if (ptx_module_fix(module, i, 0, &fix) != PTX_OK || !fix.certain) continue;
        if (json_array_size(edits) && fix.offset <= end) continue;
        end = fix.offset + fix.length;
        json_array_append_new(edits, edit_of(file, &fix));
    }
    return edits;
}

/* Is a kind of action asked for? Without a list all are. */
static bool is_wanted(const json_t *context, const char *kind)
{
    const json_t *only = json_object_get(context, "only"), *one;
    size_t i;
    if (!json_is_array(only)) return true;
    json_array_foreach(only, i, one)
    {
        const char *word = json_string_value(one);
        const size_t n = word ? strlen(word) : 0;
        if (word && strncmp(kind, word, n) == 0 && (!kind[n] || kind[n] == '.')) return true;
    }
    return false;
}

json_t *lsp_actions(const struct lsp_file *file, uint32_t from, uint32_t to, const json_t *context)
{
    static const char all[] = "source.fixAll";
    const ptx_module *module = file->document.module;
    json_t *list = json_array();
    ptx_diagnostic d = {sizeof d};
    for (size_t i = 0; is_wanted(context, "quickfix") && i < ptx_module_diagnostic_count(module); i++) {
        if (ptx_module_diagnostic(module, i, &d) != PTX_OK || d.follows || !d.line || d.line > file->nlines)
            continue;
        const uint32_t at = file->lines[d.line - 1] + d.column - 1;
        if (at <= to && at + d.length >= from) add_quick_fixes(file, i, &d, list);
    }
    json_t *edits = fix_all(file);
    if (json_array_size(edits) && is_wanted(context, all))
        json_array_append_new(list, json_pack("{s:s,s:s,s:o}", "title", "Mend what is certain", "kind", all,
                                              "edit", workspace_edit(file, edits)));
    else
        json_decref(edits);
    return list;
}
