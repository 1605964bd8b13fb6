# told.awk - how each public function's arguments are passed on and told, made of the rows of a .def file.
#
# For a row with parameters (T a, U b), whose key is the symbol (cuda.def) or RELEASES_NAME (runtime.def):
#   #define PX_PASS_key a, b
#   #define PX_TELL_key PX_TOLD(a) PX_TOLD(b)
# An argument of the runtime called function, kernel or symbol stands for a kernel or a variable: PX_TOLD_SHADOW.
/^#|^ \*|^\/\*/ { next }
/^[A-Z]+\(/ { listing = 1 }
listing { text = text $0 " " }

function name_of(parameter) {
    sub(/ *$/, "", parameter)
    sub(/.*[ *]/, "", parameter)
    return parameter
}

function tell(key, parameters,    n, i, list, name, pass, words) {
    n = parameters == "void" ? 0 : split(parameters, list, /,/)
    for (i = 1; i <= n; i++) {
        name = name_of(list[i])
        pass = pass (i > 1 ? ", " : "") name
        words = words " PX_TOLD" (key ~ /^R|^ALL/ && name ~ /^(function|symbol|kernel)$/ ? "_SHADOW" : "") "(" name ")"
    }
    if (key in done) return
    done[key] = 1
    print "#define PX_PASS_" key " " pass
    print "#define PX_TELL_" key words
}

END {
    while (match(text, /(CU|VIA|CALL|FREE)\([^()]*\([^()]*\)/)) {
        row = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        kind = row
        sub(/\(.*/, "", kind)
        sub(/^[A-Z]+\(/, "", row)
        parameters = row
        sub(/.*\(/, "", parameters)
        sub(/\)$/, "", parameters)
        split(row, field, /, */)
        tell(kind == "CU" || kind == "VIA" ? field[3] : field[1] "_" field[3], parameters)
    }
}
