# version.awk - the version script of libcuda.so.1: every symbol of the .def files is exported, nothing else is.
BEGIN { print "{\n  global:" }
/^(CU|VIA|NO)\(/ { listing = 1 }
/^#|^ \*|^\/\*/ { next }
listing { list = list $0 " " }
END {
    rows = split(list, row, /(^| )(CU|VIA|NO)\(/)
    for (i = 2; i <= rows; i++) {
        split(row[i], field, /, */)
        symbol = field[3]
        sub(/[^A-Za-z0-9_].*/, "", symbol)
        print "    " symbol ";"
    }
    print "  local: *;\n};"
}
