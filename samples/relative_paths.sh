#!/bin/sh
# Takes the absolute paths that nvcc -lineinfo and -G record out of PTX files made in the current directory.
#
# usage: relative_paths.sh FILE.ptx...
set -e

# The characters of $1 the way debug sections spell them.
codes() { printf %s "$1" | od -An -v -tu1 | tr -s ' \n' ',,' | sed 's/^,//; s/,$//'; }

# As many characters as the path $1, naming the current directory.
dots() { printf %s "$1" | sed 's/../.\//g'; }

relative_paths() {
    sed -E -e 's|(\.file[[:space:]]+[0-9]+ ").*/include/|\1cuda/include/|; s|(\.file[[:space:]]+[0-9]+ ")/.*/|\1|' \
        -e "s/$(codes "$PWD")/$(codes "$(dots "$PWD")")/" "$1" >"$1.tmp"
    mv "$1.tmp" "$1"
}

for file; do relative_paths "$file"; done
