/* rows.h - NAME(name) for every function that a row of runtime.def makes; to be included again and again. */
#define NAME_ONE(name) NAME(name)
#define NAME_PTSZ(name) NAME(name) NAME(name##_ptsz)
#define NAME_PTDS(name) NAME(name) NAME(name##_ptds)
#define HAND(in, name) NAME(name)
#define CALL(in, twin, name, ...) NAME_##twin(name)
#define FREE CALL
#define NONE CALL
#include "cuda/runtime/runtime.def"
#undef NAME_ONE
#undef NAME_PTSZ
#undef NAME_PTDS
#undef HAND
#undef CALL
#undef FREE
#undef NONE
