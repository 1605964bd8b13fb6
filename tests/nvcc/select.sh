#!/bin/sh
# Remakes ptx/: a few of make.sh's outputs, of varied style, kept for tests where no nvcc is installed.
set -e
cd "$(dirname "$0")"
export OUT=ptx
rm -f ptx/*.ptx

keep() { ARCHS=$2 WAYS=$3 ./make.sh "$1"; }

keep atomics sm_90 plain
keep graph sm_90 plain
keep atomics_vector sm_90 plain
keep grid_constant sm_90 plain
keep bulk sm_90 plain
keep function_pointers sm_90 plain
keep globals sm_75 plain
keep memcpy_async sm_90 plain
keep heap sm_75 lineinfo
keep inline_asm sm_75 plain
keep print sm_75 debug
keep interpreter sm_75 plain
keep tcgen05 sm_100a plain
keep textures sm_75 plain
keep wgmma sm_90a plain
keep wmma sm_80 plain
../../samples/relative_paths.sh ptx/*.ptx
