"""Writes big_TYPE.npy and little_TYPE.npy, the same numbers in both byte orders: npy.py f8 NUMBER..."""
import struct
import sys

name, values = sys.argv[1], [float(word) if sys.argv[1][0] == "f" else int(word) for word in sys.argv[2:]]
code = {"f8": "d", "f4": "f", "u2": "H"}[name]
for order, letter in ((">", "big"), ("<", "little")):
    header = "{'descr': '%s%s', 'fortran_order': False, 'shape': (%d,), }\n" % (order, name, len(values))
    with open("%s_%s.npy" % (letter, name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("%s%d%s" % (order, len(values), code), *values))
