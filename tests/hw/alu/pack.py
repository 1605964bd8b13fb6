#!/usr/bin/env python3
"""pack.py RAW_DIR GOLDEN_DIR - compresses the recorder's .raw files to .bin: size in 4 bytes, then a zlib
stream."""
import glob
import os
import struct
import sys
import zlib

for path in sorted(glob.glob(os.path.join(sys.argv[1], "alu_*.raw"))):
    with open(path, "rb") as f:
        raw = f.read()
    name = os.path.basename(path)[:-4] + ".bin"
    with open(os.path.join(sys.argv[2], name), "wb") as f:
        f.write(struct.pack("<I", len(raw)) + zlib.compress(raw, 9))
    print(name, len(raw))
