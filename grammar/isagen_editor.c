/*
 * isagen_editor.c - writes the TextMate grammar by which editors colour PTX (docs/editors).
 *
 * A word has the colour of what the tables say it is; a dotted word or an opcode that they do not know stays
 * plain, so that it shows. Patterns are tried in order, and the first that matches at a place counts.
 */
#include "isagen.h"
#include <string.h>

enum class { CLASS_TYPE, CLASS_SPACE, CLASS_DIRECTIVE, CLASS_MODIFIER, CLASS_OPCODE, CLASS_SPECIAL };

static bool is_type(const char *word)
{
    for (int i = 0; i < ig.ntypes; i++)
        if (!strcmp(ig.types[i].name, word)) return true;
    return false;
}

static bool is_space(const char *word)
{
    for (int i = 0; i < ig.nspaces; i++)
        if (!strcmp(ig.spaces[i].name, word)) return true;
    return false;
}

static bool is_directive(const char *word)
{
    for (int i = 0; i < ig.ndirectives; i++)
        if (!strcmp(ig.directives[i].text, word) || !strcmp(ig.directives[i].text + 1, word)) return true;
    return false;
}

static bool is_target(const char *word)
{
    for (int i = 0; i < ig.ntargets; i++)
        if (!strcmp(ig.targets[i].name, word)) return true;
    return false;
}

/* Number i+1 as a dotted word: every word has one such class at most. */
static bool is_dotted(int i, enum class class)
{
    const char *word = ig.words.text[i];
    const bool type = is_type(word), space = !type && is_space(word);
    const bool directive = !type && !space &&
                           (is_directive(word) || (ig.words.plain[i] && ig.words.always[i] &&
                                                   !ig.words.modifier[i] && !is_target(word)));
    switch (class) {
    case CLASS_TYPE: return type;
    case CLASS_SPACE: return space;
    case CLASS_DIRECTIVE: return directive;
    default: return !type && !space && !directive && ig.words.modifier[i];
    }
}

static void emit_words(FILE *out, enum class class)
{
    const char *bar = "";
    for (int i = 0; i < ig.words.n; i++) {
        if (class == CLASS_OPCODE ? !ig.words.opcode[i] : !is_dotted(i, class)) continue;
        fprintf(out, "%s%s", bar, ig.words.text[i]);
        bar = "|";
    }
}

static void emit_special(FILE *out)
{
    for (int i = 0; i < ig.nsregs; i++) fprintf(out, "%s%s", i ? "|" : "", ig.sregs[i].name);
}

static void emit_class(FILE *out, const char *scope, const char *before, enum class class, const char *after)
{
    fprintf(out, "    {\"name\": \"%s.ptx\", \"match\": \"%s(?:", scope, before);
    if (class == CLASS_SPECIAL)
        emit_special(out);
    else
        emit_words(out, class);
    fprintf(out, ")%s\"},\n", after);
}

/* Patterns that need no table; JSON doubles the backslashes. */
static const char first_patterns[] =
    "    {\"name\": \"comment.line.double-slash.ptx\", \"match\": \"//.*$\"},\n"
    "    {\"name\": \"comment.block.ptx\", \"begin\": \"/\\\\*\", \"end\": \"\\\\*/\"},\n"
    "    {\"name\": \"string.quoted.double.ptx\", \"begin\": \"\\\"\", \"end\": \"\\\"\"},\n"
    "    {\"name\": \"meta.preprocessor.ptx\", \"match\": \"^\\\\s*#.*$\"},\n"
    "    {\"name\": \"meta.preprocessor.dwarf.ptx\", \"match\": \"@@DWARF.*$\"},\n"
    "    {\"match\": \"(\\\\.(?:entry|func))\\\\s+([A-Za-z_$%][\\\\w$]*)\", \"captures\": {\n"
    "        \"1\": {\"name\": \"keyword.control.directive.ptx\"},\n"
    "        \"2\": {\"name\": \"entity.name.function.ptx\"}}},\n"
    "    {\"match\": \"^\\\\s*([A-Za-z_$%][\\\\w$]*)\\\\s*:(?!:)\", \"captures\": {\n"
    "        \"1\": {\"name\": \"entity.name.label.ptx\"}}},\n"
    "    {\"match\": \"(@!?)([A-Za-z_$%][\\\\w$]*)\", \"captures\": {\n"
    "        \"1\": {\"name\": \"keyword.operator.guard.ptx\"},\n"
    "        \"2\": {\"name\": \"variable.other.predicate.ptx\"}}},\n"
    "    {\"name\": \"constant.numeric.ptx\", \"match\": "
    "\"(?<![\\\\w$.%])(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|"
    "[0-9]+\\\\.[0-9]*(?:[eE][+-]?[0-9]+)?|[0-9]+U?)(?![\\\\w$])\"},\n"
    "    {\"name\": \"constant.language.ptx\", \"match\": \"(?<![\\\\w$.%])WARP_SZ(?![\\\\w$])\"},\n";

static const char last_patterns[] =
    "    {\"name\": \"variable.other.register.ptx\", \"match\": \"%[\\\\w$]+\"},\n"
    "    {\"name\": \"punctuation.terminator.ptx\", \"match\": \";\"}\n";

void ig_emit_textmate(FILE *out)
{
    const char *dotted = "\\\\.", *end = "(?![\\\\w:])";
    fputs(
        "{\n\"name\": \"PTX\",\n\"scopeName\": \"source.ptx\",\n\"fileTypes\": [\"ptx\"],\n\"patterns\": [\n",
        out);
    fputs(first_patterns, out);
    emit_class(out, "variable.language.special-register", "%", CLASS_SPECIAL,
               "(?![\\\\w$])(?:\\\\.[xyzw](?!\\\\w))?");
    emit_class(out, "storage.type", dotted, CLASS_TYPE, end);
    emit_class(out, "storage.modifier.space", dotted, CLASS_SPACE, end);
    emit_class(out, "keyword.control.directive", dotted, CLASS_DIRECTIVE, end);
    emit_class(out, "keyword.other.modifier", dotted, CLASS_MODIFIER, end);
    emit_class(out, "support.function.instruction", "(?<![\\\\w$.%:])", CLASS_OPCODE, "(?![\\\\w$:])");
    fputs(last_patterns, out);
    fputs("]\n}\n", out);
}
