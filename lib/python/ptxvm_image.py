"""Textures and surfaces of ptxvm.py: device.texture, device.surface and program.bind are made here."""

import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

from ptxvm import Sized, check, declare, library

# ---- structures of ptx_texture.h ---------------------------------------------


class ArrayConfig(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("width", c_uint64),
        ("height", c_uint64),
        ("depth", c_uint64),
        ("format", c_int),
        ("channels", c_uint),
        ("flags", c_uint),
        ("levels", c_uint),
        ("samples", c_uint),
    ]


class Place(Structure):
    _fields_ = [
        ("host", c_void_p),
        ("device", c_void_p),
        ("address", c_uint64),
        ("pitch", c_uint64),
        ("slice", c_uint64),
    ]


class ArrayPlace(Structure):
    _fields_ = [("array", c_uint64), ("x", c_uint64), ("y", c_uint64), ("z", c_uint64), ("place", Place)]


class ArrayCopy(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("to", ArrayPlace),
        ("source", ArrayPlace),
        ("width", c_uint64),
        ("height", c_uint64),
        ("depth", c_uint64),
    ]


class SamplerConfig(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("address", c_int * 3),
        ("filter", c_int),
        ("mip_filter", c_int),
        ("normalized", c_int),
        ("integers", c_int),
        ("srgb", c_int),
        ("seamless", c_int),
        ("anisotropy", c_uint),
        ("bias", ctypes.c_float),
        ("min_level", ctypes.c_float),
        ("max_level", ctypes.c_float),
        ("border", ctypes.c_float * 4),
    ]


class TextureConfig(Sized):
    _fields_ = [
        ("struct_size", c_size_t),
        ("array", c_uint64),
        ("address", c_uint64),
        ("width", c_uint64),
        ("height", c_uint64),
        ("pitch", c_uint64),
        ("format", c_int),
        ("channels", c_uint),
        ("part", c_int),
        ("first_level", c_uint),
        ("last_level", c_uint),
        ("first_layer", c_uint),
        ("last_layer", c_uint),
        ("sampler", POINTER(SamplerConfig)),
    ]


class ReferenceInfo(Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("count", c_uint), ("reference", c_uint64)]


declare("ptx_array_create", c_void_p, c_void_p, POINTER(c_uint64))
declare("ptx_array_destroy", c_void_p, c_uint64)
declare("ptx_array_copy_now", c_void_p, c_void_p)
declare("ptx_texture_create", c_void_p, c_void_p, POINTER(c_uint64))
declare("ptx_texture_destroy", c_void_p, c_uint64)
declare("ptx_surface_create", c_void_p, c_uint64, POINTER(c_uint64))
declare("ptx_surface_destroy", c_void_p, c_uint64)
declare("ptx_program_reference", c_void_p, c_char_p, c_void_p, c_void_p)
declare("ptx_reference_bind_texture", c_void_p, c_uint64, c_void_p)
declare("ptx_reference_bind_surface", c_void_p, c_uint64, c_uint64)

# ---- images -------------------------------------------------------------------

TEXEL_FORMATS = {"B": 0x01, "H": 0x02, "I": 0x03, "b": 0x08, "h": 0x09, "i": 0x0A, "e": 0x10, "f": 0x20}
IMAGE_KINDS = {  # dimensions without channels, PTX_ARRAY_ flags
    "1d": (1, 0),
    "2d": (2, 0),
    "3d": (3, 0),
    "1darray": (2, 1),
    "2darray": (3, 1),
    "cube": (3, 4),
    "cubearray": (3, 5),
}


class Image:
    """Texels in an array, with a texture (device.texture) or a surface (device.surface), whose handle is
    what a kernel gets. bytes(image) reads the texels."""

    def __init__(self, device, data, kind, sampler):
        view = memoryview(data)
        dimensions, flags = IMAGE_KINDS[kind]
        shape = view.shape + (1,) * (view.ndim == dimensions)
        letter = view.format.lstrip("<=@").replace("l", "i").replace("L", "I")
        if len(shape) != dimensions + 1 or letter not in TEXEL_FORMATS:
            raise TypeError(
                f"a {kind} image takes {dimensions} dimensions, or one more for channels, of texels"
            )
        layered = dimensions == 2 and flags & 1
        self.device, self.sampler, self.size = device, sampler, view.nbytes
        self.array, self.handle = c_uint64(), c_uint64()
        self.rows = 1 if dimensions == 1 or layered else shape[dimensions - 2]
        self.slices = shape[0] if dimensions == 3 or layered else 1
        config = ArrayConfig(
            width=shape[dimensions - 1],
            height=0 if dimensions == 1 or layered else self.rows,
            depth=shape[0] if dimensions == 3 or layered else 0,
            format=TEXEL_FORMATS[letter],
            channels=shape[-1],
            flags=flags | (0 if sampler else 2),
        )
        check(library.ptx_array_create(device.handle, byref(config), byref(self.array)), device.message)
        self._copy(ctypes.create_string_buffer(view.tobytes(), self.size), True)
        if sampler:
            texture = self._texture()
            status = library.ptx_texture_create(device.handle, byref(texture), byref(self.handle))
        else:
            status = library.ptx_surface_create(device.handle, self.array, byref(self.handle))
        check(status, device.message)

    def _texture(self):
        return TextureConfig(array=self.array.value, sampler=ctypes.pointer(self.sampler))

    def _copy(self, buffer, up):
        here = ArrayPlace(place=Place(host=ctypes.addressof(buffer)))
        there = ArrayPlace(array=self.array.value)
        copy = ArrayCopy(
            to=there if up else here,
            source=here if up else there,
            width=self.size // self.rows // self.slices,
            height=self.rows,
            depth=self.slices,
        )
        check(library.ptx_array_copy_now(self.device.handle, byref(copy)), self.device.message)

    def write(self, data):
        raw = memoryview(data).tobytes()
        if len(raw) != self.size:
            raise ValueError(f"the image has {self.size} bytes, {len(raw)} were given")
        self._copy(ctypes.create_string_buffer(raw, self.size), True)

    def __bytes__(self):
        buffer = ctypes.create_string_buffer(self.size)
        self._copy(buffer, False)
        return buffer.raw

    def __int__(self):
        return self.handle.value

    def __del__(self):
        if getattr(self, "array", None) and self.device.handle:
            end = library.ptx_texture_destroy if self.sampler else library.ptx_surface_destroy
            end(self.device.handle, self.handle)
            library.ptx_array_destroy(self.device.handle, self.array)


def texture(device, data, kind, filter, address, flags):
    modes = [["wrap", "clamp", "mirror", "border"].index(address)] * 3
    linear = ["point", "linear"].index(filter)
    sampler = SamplerConfig(address=tuple(modes), filter=linear, mip_filter=linear, **flags)
    return Image(device, data, kind, sampler)


def bind(program, name, image):
    info, device = ReferenceInfo(), program.device
    check(library.ptx_program_reference(program.handle, name.encode(), byref(info), None), device.message)
    if info.kind == 3:
        status = library.ptx_reference_bind_surface(device.handle, info.reference, image.array)
    elif image.sampler:
        config = image._texture()
        status = library.ptx_reference_bind_texture(device.handle, info.reference, byref(config))
    else:
        raise TypeError(f"'{name}' is a texture, and the image is a surface")
    check(status, device.message)
