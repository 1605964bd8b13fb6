// pre.h - what pre.ptx includes.
#define TWICE(x) add.u32 x, x, x
