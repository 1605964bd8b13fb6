"""libptxvm for Python: check PTX, load it, launch kernels on virtual GPUs, see why they stop.

    device = ptxvm.Device()
    program = device.load(text)                      # AssemblyError, LinkError: what is wrong, with places
    data = device.array(bytes(4 * n))                # or another buffer, numpy arrays too
    program["scale"][blocks, 256](data, ptxvm.u32(n))
    result = bytes(data)                             # Fault: the whole report

Arguments of a kernel are laid out by its .param list: ints and floats as the parameter's type says, arrays
and addresses as their number, bytes as they are. Only the standard library is used. The library is
PTXVM_LIBRARY, libptxvm.so beside this file, or the one that the loader finds. Objects may be used from any
thread; a launch that is waited for lets other threads of Python run.
"""

import ctypes
import ctypes.util
import os
import re
import struct
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p

(
    OK,
    INVALID_ARGUMENT,
    OUT_OF_MEMORY,
    ASSEMBLY,
    LINK,
    NOT_FOUND,
    UNSUPPORTED,
    FAULT,
    DEADLOCK,
    LIMIT,
    INTERRUPTED,
    LAUNCH,
    NOT_READY,
    CAPTURE,
) = range(14)


class Error(Exception):
    """A call that failed. status: one of the numbers above."""

    def __init__(self, status, message):
        super().__init__(message or status_name(status))
        self.status = status


class AssemblyError(Error):
    """The text is not legal PTX. diagnostics: a list of Diagnostic."""

    def __init__(self, diagnostics):
        errors = [d for d in diagnostics if d.severity > 0] or diagnostics
        super().__init__(ASSEMBLY, "\n".join(str(d) for d in errors))
        self.diagnostics = diagnostics


class LinkError(Error):
    """Modules do not make a program."""


class Fault(Error):
    """A kernel stopped. The fields of ptx_fault are attributes: cuda_error, name, message, instruction, file,
    line, source, kernel, function, calls, launched_by, cta, thread, address, allocation, state."""

    def __init__(self, status, fault, message):
        self.report = fault
        for field in FaultStruct.names:
            setattr(self, field, fault[field])
        place = f"{self.file}:{self.line}: " if self.line else ""
        parts = [f"{place}{self.name + ': ' if self.name else ''}{self.message or message}"]
        if self.instruction:
            parts.append(f"  {self.instruction}")
        if self.kernel:
            parts.append(f"  in {self.kernel}, block {self.cta}, thread {self.thread}, {self.launched_by}")
        parts += [f"  {text}" for text in (self.calls, self.allocation, self.state) if text]
        super().__init__(status, "\n".join(parts))


# ---- structures of the C interface -----------------------------------------


class Sized(Structure):
    """A structure that begins with its size."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(type(self)), **fields)


class Allocator(Structure):
    _fields_ = [("realloc", c_void_p), ("user", c_void_p)]


WRITE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)
HOST = ctypes.CFUNCTYPE(None, c_void_p)


C_TYPES = {
    "int": c_int,
    "unsigned": c_uint,
    "size_t": c_size_t,
    "uint64_t": c_uint64,
    "string": c_char_p,
    "pointer": c_void_p,
    "Allocator": Allocator,
    "WRITE": WRITE,
}


def fields(text):
    """The fields of a structure, declared as in C: "int a, b; unsigned shape[3];"."""
    found = []
    for declaration in filter(str.strip, text.split(";")):
        kind, names = declaration.split(None, 1)
        for name, count in re.findall(r"(\w+)(?:\[(\d+)\])?", names):
            found.append((name, C_TYPES[kind] * int(count) if count else C_TYPES[kind]))
    return found


class ModuleOptions(Sized):
    _fields_ = fields(
        """
        size_t struct_size; Allocator allocator; string file_name, arch; unsigned max_errors;
        int check_only, lint, compilation, profile; pointer earlier; size_t earlier_count; int fmad;
        int stacks, recover;
        """
    )


class DeviceConfig(Sized):
    _fields_ = fields(
        """
        size_t struct_size; Allocator allocator; unsigned workers; int deterministic, host_memory;
        uint64_t memory_bytes; string arch; uint64_t max_steps, timeout_ms, heap_bytes;
        unsigned pending_launches, launch_depth; int approx_exact; WRITE output; pointer output_user;
        uint64_t max_output, max_host; pointer error; size_t error_bytes; int async_; uint64_t async_seed;
        int sticky; unsigned unified; string engine; int counts, schedule; uint64_t schedule_seed;
        pointer trace, trace_user, host_call; string dump_ir; pointer dump, dump_user; int ub;
        unsigned check;
        pointer trace_event; unsigned group; uint64_t launches;
        """
    )


PROGRAMMATIC, PRIORITY = 1, 2  # LaunchConfig.flags


class LaunchConfig(Sized):
    _fields_ = fields(
        """
        size_t struct_size; unsigned grid[3], block[3], shared_bytes; pointer params; size_t param_bytes;
        uint64_t max_steps, timeout_ms; int cooperative; unsigned cluster[3], flags; int priority;
        pointer refused;
        """
    )


class FaultStruct(Sized):
    _fields_ = fields(
        """
        size_t struct_size; int cuda_error; string name, message, instruction, file;
        unsigned line, column, last_line, last_column;
        string source, kernel, function, calls, launched_by; unsigned cta[3], thread[3]; uint64_t address;
        string allocation, state;
        """
    )
    names = [name for name, _ in _fields_[1:]]

    def as_dict(self):
        return {name: plain(getattr(self, name)) for name in self.names}


class WatchStruct(Structure):
    _fields_ = fields(
        """
        size_t struct_size; int kind; uint64_t grid, parent; string kernel, parent_kernel;
        unsigned shape[3], block[3], shared_bytes, depth; pointer params; size_t param_bytes;
        uint64_t stream; unsigned cta[3], thread[3]; int cuda_error; string reason;
        uint64_t address, bytes;
        """
    )


WATCH = ctypes.CFUNCTYPE(None, c_void_p, POINTER(WatchStruct))
WATCH_KINDS = ["?", "begin", "end", "copy", "wait", "refused", "leak"]


def plain(value):
    """A field of a C structure as an object of Python's."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, ctypes.Array):
        return tuple(value)
    return "" if value is None else value


class Event:
    """What happened on a watched device: kind is one of WATCH_KINDS, the other fields are ptx_watch_event's;
    params are bytes."""

    def __init__(self, c):
        for name, _ in WatchStruct._fields_[1:]:
            setattr(self, name, plain(getattr(c, name)))
        self.kind = WATCH_KINDS[c.kind]
        self.params = ctypes.string_at(c.params, c.param_bytes) if c.params else b""

    def __repr__(self):
        return f"<{self.kind} {self.kernel} {self.reason}>"


# ---- the library -------------------------------------------------------------


def find_library():
    here = os.path.dirname(os.path.abspath(__file__))
    given = os.environ.get("PTXVM_LIBRARY")
    beside = [os.path.join(here, *parts, "libptxvm.so") for parts in ((), ("..",), ("..", "lib"))]
    for path in [given] if given else beside:
        if os.path.exists(path):
            return path
    found = given or ctypes.util.find_library("ptxvm")
    if not found:
        raise OSError("libptxvm.so was not found: set PTXVM_LIBRARY to its path")
    return found


library = ctypes.CDLL(find_library())


def declare(name, *arguments, result=c_int):
    function = getattr(library, name)
    function.argtypes = arguments
    function.restype = result
    return function


status_text = declare("ptx_status_name", c_int, result=c_char_p)
declare("ptx_module_create", c_void_p, c_char_p, c_size_t, POINTER(c_void_p))
declare("ptx_module_destroy", c_void_p, result=None)
declare("ptx_module_diagnostic", c_void_p, c_size_t, c_void_p)
declare("ptx_module_diagnostic_count", c_void_p, result=c_size_t)
declare("ptx_module_kernel_count", c_void_p, result=c_size_t)
declare("ptx_module_kernel", c_void_p, c_size_t, c_void_p)
declare("ptx_module_kernel_param", c_void_p, c_size_t, c_size_t, c_void_p)
declare("ptx_device_create", c_void_p, POINTER(c_void_p))
declare("ptx_device_destroy", c_void_p, result=None)
declare("ptx_device_interrupt", c_void_p, result=None)
declare("ptx_device_counts", c_void_p, c_int, c_void_p, c_void_p)
declare("ptx_device_counts_clear", c_void_p)
declare("ptx_device_findings", c_void_p, c_void_p, c_void_p)
declare("ptx_device_launches", c_void_p, c_void_p, c_void_p)
declare("ptx_device_launches_clear", c_void_p)
declare("ptx_device_launches_write", c_void_p, c_int, WRITE, c_void_p)
declare("ptx_device_expect_launch", c_void_p, c_char_p, c_char_p, c_size_t)
declare("ptx_device_message", c_void_p, result=c_char_p)
declare("ptx_device_wait", c_void_p, c_void_p)
declare("ptx_device_watch", c_void_p, WATCH, c_void_p)
declare("ptx_memory_alloc", c_void_p, c_uint64, POINTER(c_uint64))
declare("ptx_memory_free", c_void_p, c_uint64)
declare("ptx_memory_write", c_void_p, c_uint64, c_void_p, c_uint64)
declare("ptx_memory_read", c_void_p, c_void_p, c_uint64, c_uint64)
declare("ptx_program_create", c_void_p, POINTER(c_void_p), c_size_t, c_void_p, POINTER(c_void_p))
declare("ptx_program_destroy", c_void_p, result=None)
declare("ptx_program_kernel", c_void_p, c_char_p, POINTER(c_void_p))
declare("ptx_program_variable", c_void_p, c_char_p, POINTER(c_uint64), POINTER(c_uint64))
declare("ptx_kernel_launch", c_void_p, c_void_p, c_void_p)
declare("ptx_kernel_submit", c_void_p, c_void_p, c_uint64, c_void_p)
declare("ptx_stream_create", c_void_p, c_void_p, POINTER(c_uint64))
declare("ptx_stream_destroy", c_void_p, c_uint64)
declare("ptx_stream_query", c_void_p, c_uint64)
declare("ptx_stream_wait", c_void_p, c_uint64, c_void_p)
declare("ptx_stream_wait_event", c_void_p, c_uint64, c_uint64)
declare("ptx_stream_host", c_void_p, c_uint64, HOST, c_void_p)
declare("ptx_event_create", c_void_p, c_uint, POINTER(c_uint64))
declare("ptx_event_destroy", c_void_p, c_uint64)
declare("ptx_event_record", c_void_p, c_uint64, c_uint64)
declare("ptx_event_wait", c_void_p, c_uint64)
declare("ptx_event_elapsed", c_void_p, c_uint64, c_uint64, POINTER(c_double))


def status_name(status):
    return status_text(status).decode()


def check(status, message=""):
    if status == OK:
        return
    text = message.decode(errors="replace") if isinstance(message, bytes) else message
    raise (LinkError if status == LINK else Error)(status, text)


# ---- modules -------------------------------------------------------------------


class DiagnosticStruct(Sized):
    _fields_ = fields(
        """
        size_t struct_size; int severity; string code, message, note, file; unsigned line, column, length;
        int follows;
        """
    )


class ParamStruct(Sized):
    _fields_ = fields(
        "size_t struct_size; string name, type; size_t offset, size, align, count; int is_pointer;"
    )


class KernelStruct(Sized):
    _fields_ = fields(
        """
        size_t struct_size; string name;
        size_t param_count, param_bytes, static_shared_bytes, local_bytes;
        unsigned reqntid[3], maxntid[3];
        """
    )


class Diagnostic:
    """severity (0 info, 1 warning, 2 error, 3 fatal), code, message, note, file, line, column."""

    def __init__(self, c):
        for name, _ in DiagnosticStruct._fields_[1:]:
            setattr(self, name, plain(getattr(c, name)))

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}: {self.message} [{self.code}]"


class Module:
    """A PTX text, checked. kernels: {name: [parameter, ...]}; a parameter has name, type, offset, size and
    count."""

    def __init__(self, text, file_name="<memory>"):
        data = text.encode() if isinstance(text, str) else bytes(text)
        options = ModuleOptions(file_name=file_name.encode(), recover=1)
        self.handle = c_void_p()
        status = library.ptx_module_create(byref(options), data, len(data), byref(self.handle))
        if status == ASSEMBLY:
            raise AssemblyError(self.diagnostics)
        check(status)
        self.kernels = dict(self._kernel(i) for i in range(library.ptx_module_kernel_count(self.handle)))

    @property
    def diagnostics(self):
        found = []
        for i in range(library.ptx_module_diagnostic_count(self.handle)):
            c = DiagnosticStruct()
            check(library.ptx_module_diagnostic(self.handle, i, byref(c)))
            found.append(Diagnostic(c))
        return found

    def _kernel(self, index):
        info, params = KernelStruct(), []
        check(library.ptx_module_kernel(self.handle, index, byref(info)))
        for i in range(info.param_count):
            c = ParamStruct()
            check(library.ptx_module_kernel_param(self.handle, index, i, byref(c)))
            params.append(c.as_param())
        return info.name.decode(), params

    def __del__(self):
        if getattr(self, "handle", None):
            library.ptx_module_destroy(self.handle)


# ---- arguments -----------------------------------------------------------------

FORMATS = {
    "u8": "B",
    "s8": "b",
    "b8": "B",
    "u16": "H",
    "s16": "h",
    "b16": "H",
    "f16": "e",
    "u32": "I",
    "s32": "i",
    "b32": "I",
    "f32": "f",
    "u64": "Q",
    "s64": "q",
    "b64": "Q",
    "f64": "d",
    "texref": "Q",
    "samplerref": "Q",
    "surfref": "Q",
}


class Param:
    def __init__(self, c):
        for name, _ in ParamStruct._fields_[1:]:
            setattr(self, name, plain(getattr(c, name)))

    def pack(self, value):
        """The bytes of an argument."""
        if isinstance(value, Array):
            value = value.address
        if isinstance(value, (bytes, bytearray, memoryview)):
            data = bytes(value)
        elif self.count != 1 or self.type not in FORMATS:
            raise TypeError(f"parameter {self.name} is .{self.type} x{self.count}: give bytes")
        elif isinstance(value, float) and self.type in ("b32", "b64"):
            data = struct.pack("<f" if self.type == "b32" else "<d", value)
        else:
            data = pack_number(FORMATS[self.type], self.size, value)
        if len(data) != self.size:
            raise TypeError(f"parameter {self.name} has {self.size} bytes, {len(data)} were given")
        return data


def pack_number(code, size, value):
    if code in "efd":
        return struct.pack("<" + code, float(value))
    number = int(value)
    if not -(1 << (8 * size - 1)) <= number < 1 << 8 * size:
        raise OverflowError(f"{number} does not fit into {size} bytes")
    return (number % (1 << 8 * size)).to_bytes(size, "little")


ParamStruct.as_param = lambda self: Param(self)


def u32(value):
    """For arguments whose parameter has no type to tell."""
    return struct.pack("<I", value)


def f32(value):
    return struct.pack("<f", value)


# ---- devices ---------------------------------------------------------------------


def three(shape):
    values = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return (c_uint * 3)(*(values + (1, 1, 1))[:3])


class Array:
    """Device memory. bytes(array) reads it, array.write(data) writes it; it is freed with the object."""

    def __init__(self, device, size):
        address = c_uint64()
        check(library.ptx_memory_alloc(device.handle, size, byref(address)), device.message)
        self.device, self.address, self.size = device, address.value, size

    def write(self, data, offset=0):
        raw = bytes(data)
        check(library.ptx_memory_write(self.device.handle, self.address + offset, raw, len(raw)))

    def read(self, offset=0, size=None):
        size = self.size - offset if size is None else size
        raw = ctypes.create_string_buffer(size)
        check(library.ptx_memory_read(self.device.handle, raw, self.address + offset, size))
        return raw.raw

    def __bytes__(self):
        return self.read()

    def __len__(self):
        return self.size

    def __int__(self):
        return self.address

    def __del__(self):
        if getattr(self, "address", None) and self.device.handle:
            library.ptx_memory_free(self.device.handle, self.address)


class Device:
    """A virtual GPU. Fields of ptx_device_config are keywords: workers=1, timeout_ms=1000, sticky=True,
    output=f; output is called with the bytes that kernels print, without one they go to sys.stdout."""

    def __init__(self, output=None, **config):
        error = ctypes.create_string_buffer(200)
        self._output = WRITE(self._printed(output))
        if "arch" in config:
            config["arch"] = config["arch"].encode()
        c = DeviceConfig(error=ctypes.cast(error, c_void_p), error_bytes=200, output=self._output, **config)
        self.handle = c_void_p()
        check(library.ptx_device_create(byref(c), byref(self.handle)), error.value)
        self._watch, self._callbacks = None, []

    @staticmethod
    def _printed(output):
        def write(_user, text, size):
            data = ctypes.string_at(text, size)
            if output:
                output(data)
            else:
                sys.stdout.write(data.decode(errors="replace"))
            return 0

        return write

    @property
    def message(self):
        return library.ptx_device_message(self.handle)

    def load(self, *texts):
        """A Program of PTX texts or Modules."""
        return Program(self, [text if isinstance(text, Module) else Module(text) for text in texts])

    def array(self, data):
        """Device memory with a copy of `data` (bytes, a numpy array), or of so many zero bytes."""
        if isinstance(data, int):
            return Array(self, data)
        raw = memoryview(data).tobytes()
        made = Array(self, len(raw))
        made.write(raw)
        return made

    def texture(self, data, kind="2d", filter="point", address="clamp", **flags):
        """A texture of what has a shape (a numpy array, a memoryview): rows of texels, one dimension more for
        2 or 4 channels; slices and layers come first. kind is 1d, 2d, 3d, 1darray, 2darray, cube, cubearray;
        flags are normalized, integers, srgb and other fields of ptx_sampler_config. It is an argument of a
        kernel; bytes(texture) are its texels."""
        import ptxvm_image

        return ptxvm_image.texture(self, data, kind, filter, address, flags)

    def surface(self, data, kind="2d"):
        """A surface that begins with these texels; bytes(surface) are what they became."""
        import ptxvm_image

        return ptxvm_image.Image(self, data, kind, None)

    def stream(self):
        return Stream(self)

    def event(self):
        return DeviceEvent(self)

    def wait(self):
        """Until nothing is under way; the first failure that nobody has heard of is raised."""
        fault = FaultStruct()
        self._raise(library.ptx_device_wait(self.handle, byref(fault)), fault)

    def interrupt(self):
        library.ptx_device_interrupt(self.handle)

    def watch(self, function):
        """Calls function(Event) for all that happens; None ends it. It must not use the device."""
        watch = WATCH(lambda _user, event: function(Event(event.contents))) if function else WATCH()
        check(library.ptx_device_watch(self.handle, watch, None))
        self._watch = watch

    def counts(self, by="kernel"):
        """A list of ptxvm_counts.Count: what was executed, by kernel, opcode, line or instruction. For a
        Device(counts=True) on which nothing is under way."""
        import ptxvm_counts

        return ptxvm_counts.counts(self, by)

    def clear_counts(self):
        check(library.ptx_device_counts_clear(self.handle))

    def findings(self):
        """A list of ptxvm_check.Finding: what kernels did wrong, errors first. For a Device(check=...) of
        ptxvm_check's RACE, RACE_VALUES, INIT, SYNC, LAUNCH or ALL on which nothing is under way."""
        import ptxvm_check

        return ptxvm_check.findings(self)

    def launches(self):
        """A list of ptxvm_launches.Launch: the grids that ran, in order of launch, and launches by kernels
        that were refused. For a Device(launches=BYTES) on which nothing is under way, as the next four."""
        import ptxvm_launches

        return ptxvm_launches.launches(self)

    def launches_text(self, form="text"):
        """The same as "text", "json", "svg", "dot" or "timeline"."""
        import ptxvm_launches

        return ptxvm_launches.text(self, form)

    def clear_launches(self):
        check(library.ptx_device_launches_clear(self.handle))

    def expect_launch(self, pattern):
        """AssertionError, with the reason, unless a kernel launched what the pattern says:
        "2 x child<<<4,32>>>(n=7, ...) from parent" (docs/launches.md)."""
        import ptxvm_launches

        ptxvm_launches.expect(self, pattern)

    def expect_no_launch(self, pattern="*"):
        self.expect_launch(f"0 x {pattern}")

    def expect_depth(self, depth):
        """The deepest nesting: 0 without launches by kernels."""
        self.expect_launch(f"depth {depth}")

    def _raise(self, status, fault):
        if status == OK:
            return
        if fault.name is None:
            check(status, self.message)
        raise Fault(status, fault.as_dict(), self.message.decode(errors="replace"))

    def close(self):
        if self.handle:
            library.ptx_device_destroy(self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "handle", None):
            self.close()


class Program:
    """Modules linked for a device. program["k"] is a Kernel, program.variable("v") (address, size)."""

    def __init__(self, device, modules):
        handles = (c_void_p * len(modules))(*(m.handle for m in modules))
        self.device, self.handle, self.bound = device, c_void_p(), {}
        status = library.ptx_program_create(device.handle, handles, len(modules), None, byref(self.handle))
        check(status, device.message)
        self.params = {name: params for m in modules for name, params in m.kernels.items()}

    def __getitem__(self, name):
        return Kernel(self, name)

    def variable(self, name):
        address, size = c_uint64(), c_uint64()
        check(
            library.ptx_program_variable(self.handle, name.encode(), byref(address), byref(size)),
            f"no variable '{name}'",
        )
        return address.value, size.value

    def bind(self, name, image):
        """Binds a .texref or .surfref of the program."""
        import ptxvm_image

        ptxvm_image.bind(self, name, image)
        self.bound[name] = image  # which must stay

    def read(self, name):
        """The bytes of a variable."""
        address, size = self.variable(name)
        raw = ctypes.create_string_buffer(size)
        check(library.ptx_memory_read(self.device.handle, raw, address, size))
        return raw.raw

    def write(self, name, data):
        address, size = self.variable(name)
        raw = bytes(data)
        if len(raw) > size:
            raise ValueError(f"'{name}' has {size} bytes, {len(raw)} were given")
        check(library.ptx_memory_write(self.device.handle, address, raw, len(raw)))


class Kernel:
    """kernel[grid, block](arguments) launches and waits; kernel[grid, block, shared, stream] submits.

    Beside the arguments: max_steps, timeout_ms, cooperative, priority (the stream's unless given), and
    programmatic, which lets it begin before the kernel in front of it in the stream has ended
    (PTX_LAUNCH_PROGRAMMATIC).
    """

    def __init__(self, program, name):
        self.program, self.name, self.handle = program, name, c_void_p()
        status = library.ptx_program_kernel(program.handle, name.encode(), byref(self.handle))
        check(status, f"no kernel '{name}'")
        self.params = program.params[name]

    def __getitem__(self, shape):
        grid, block, shared, stream = (tuple(shape) + (0, None))[:4] if len(shape) < 4 else shape
        return lambda *arguments, **limits: self._launch(grid, block, shared, stream, arguments, limits)

    def _pack(self, arguments):
        if len(arguments) != len(self.params):
            raise TypeError(f"{self.name} takes {len(self.params)} arguments, {len(arguments)} were given")
        raw = bytearray()
        for param, value in zip(self.params, arguments):
            raw += bytes(param.offset - len(raw)) + param.pack(value)
        return bytes(raw)

    def _launch(self, grid, block, shared, stream, arguments, limits):
        raw, fault, device = self._pack(arguments), FaultStruct(), self.program.device
        programmatic = limits.pop("programmatic", False)
        flags = (PROGRAMMATIC if programmatic else 0) | (PRIORITY if "priority" in limits else 0)
        config = LaunchConfig(
            grid=three(grid),
            block=three(block),
            shared_bytes=shared,
            param_bytes=len(raw),
            params=ctypes.cast(c_char_p(raw), c_void_p),
            flags=flags,
            refused=ctypes.cast(ctypes.pointer(fault), c_void_p),
            **limits,
        )
        if stream is None:
            device._raise(library.ptx_kernel_launch(self.handle, byref(config), byref(fault)), fault)
        else:
            device._raise(library.ptx_kernel_submit(self.handle, byref(config), stream.number, None), fault)


class Stream:
    """Work in order. It is a stream of its own; Device.wait waits for all."""

    def __init__(self, device):
        number = c_uint64()
        check(library.ptx_stream_create(device.handle, None, byref(number)))
        self.device, self.number = device, number.value

    def wait(self):
        fault = FaultStruct()
        self.device._raise(library.ptx_stream_wait(self.device.handle, self.number, byref(fault)), fault)

    def done(self):
        status = library.ptx_stream_query(self.device.handle, self.number)
        if status != NOT_READY:
            check(status)
        return status == OK

    def wait_for(self, event):
        check(library.ptx_stream_wait_event(self.device.handle, self.number, event.number))

    def call(self, function):
        """Calls function() when what is in the stream is done. It must not wait for the device."""
        callback = HOST(lambda _user: function())
        self.device._callbacks.append(callback)  # it must stay until it was called
        check(library.ptx_stream_host(self.device.handle, self.number, callback, None))

    def __del__(self):
        if getattr(self, "number", None) and self.device.handle:
            library.ptx_stream_destroy(self.device.handle, self.number)


class DeviceEvent:
    """A moment in a stream. end.since(start): milliseconds."""

    def __init__(self, device):
        number = c_uint64()
        check(library.ptx_event_create(device.handle, 0, byref(number)))
        self.device, self.number = device, number.value

    def record(self, stream):
        check(library.ptx_event_record(self.device.handle, self.number, stream.number))

    def wait(self):
        check(library.ptx_event_wait(self.device.handle, self.number))

    def since(self, start):
        ms = c_double()
        check(library.ptx_event_elapsed(self.device.handle, start.number, self.number, byref(ms)))
        return ms.value

    def __del__(self):
        if getattr(self, "number", None) and self.device.handle:
            library.ptx_event_destroy(self.device.handle, self.number)
