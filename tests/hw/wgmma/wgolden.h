/* wgolden.h - how much of the chip's answers is kept: hashes of blocks of tiles a form. */
#ifndef HW_WGMMA_GOLDEN_H
#define HW_WGMMA_GOLDEN_H

enum { WGOLDEN_BLOCKS = 4, WGOLDEN_TILES = 6 };

#endif
