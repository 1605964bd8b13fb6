"""LLVM IR with a function for every NVPTX intrinsic that an installed LLVM declares.

LLVM's own table (IntrinsicsNVVM.td, read by llvm-tblgen) names them and their types, so nothing is listed
here. Each
function takes its arguments as parameters, or constants where the table asks for them, and stores what comes
back.
"""
import json
import os
import re
import subprocess
from itertools import product

SCALARS = dict(
    llvm_i1_ty="i1",
    llvm_i8_ty="i8",
    llvm_i16_ty="i16",
    llvm_i32_ty="i32",
    llvm_i64_ty="i64",
    llvm_i128_ty="i128",
    llvm_half_ty="half",
    llvm_bfloat_ty="bfloat",
    llvm_float_ty="float",
    llvm_double_ty="double",
    llvm_ptr_ty="ptr",
    llvm_v2f16_ty="<2 x half>",
    llvm_v2bf16_ty="<2 x bfloat>",
    llvm_v2i16_ty="<2 x i16>",
    llvm_v4i32_ty="<4 x i32>",
    llvm_global_ptr_ty="ptr addrspace(1)",
    llvm_shared_ptr_ty="ptr addrspace(3)",
)
SPACES = (("p0", "ptr"), ("p1", "ptr addrspace(1)"), ("p3", "ptr addrspace(3)"), ("p4", "ptr addrspace(4)"))
ANY = dict(
    llvm_anyptr_ty=SPACES,
    llvm_anyint_ty=(("i32", "i32"), ("i64", "i64")),
    llvm_anyfloat_ty=(("f32", "float"),),
)


def records(version, scratch):
    """LLVM's records by name, and the names of the intrinsics"""
    source = os.path.join(scratch, "intrinsics.td")
    with open(source, "w") as f:
        f.write('include "llvm/IR/Intrinsics.td"\n')
    out = subprocess.run(
        ["llvm-tblgen" + version, "--dump-json", "-I", "/usr/include/llvm" + (version or "-14"), source],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    found = json.loads(out.stdout) if out.returncode == 0 else {}
    return found, [n for n in found.get("!instanceof", {}).get("Intrinsic", []) if n.startswith("int_nvvm")]


def constants_of(found, record):
    """numbers of the arguments that must be constants"""
    named = (found[p["def"]] for p in record["IntrProperties"])
    return {p["ArgNo"] - 1 for p in named if "ImmArg" in p["!superclasses"]}


def typed(found, record, choice):
    """(result types, argument types, suffix of the name) with a choice for each overloaded type; None: not to
    be said here"""
    picked, suffix, out = [], "", []
    for t in record["RetTypes"] + record["ParamTypes"]:
        name = t["def"]
        if name in ANY:
            word, spelled = ANY[name][choice % len(ANY[name])]
            picked.append(spelled)
            suffix += "." + word
            out.append(spelled)
        elif name in SCALARS:
            out.append(SCALARS[name])
        elif "LLVMMatchType" in found[name]["!superclasses"] and found[name]["Number"] < len(picked):
            out.append(picked[found[name]["Number"]])
        else:
            return None
    n = len(record["RetTypes"])
    return out[:n], out[n:], suffix


def constant(kind, number):
    return {"i1": ("false", "true")[number % 2], "float": "1.0", "double": "1.0"}.get(kind, str(number))


def function(name, callee, results, arguments, fixed, number):
    result = "void" if not results else results[0] if len(results) == 1 else "{ %s }" % ", ".join(results)
    taken = ["%s %%a%d" % (t, i) for i, t in enumerate(arguments) if i not in fixed]
    given = [
        "%s %s" % (t, constant(t, number) if i in fixed else "%%a%d" % i) for i, t in enumerate(arguments)
    ]
    lines = [
        "declare %s @%s(%s)" % (result, callee, ", ".join(arguments)),
        "define void @%s(%s) {" % (name, ", ".join(taken + ["ptr %out"])),
    ]
    call = "call %s @%s(%s)" % (result, callee, ", ".join(given))
    lines += ["  " + call] if not results else ["  %r = " + call, "  store %s %%r, ptr %%out" % result]
    return "\n".join(lines + ["  ret void", "}", ""])


def functions(version, scratch):
    """every intrinsic as the text of a function, overloads and the first two values of its constants apart"""
    found, names = records(version, scratch)
    seen = set()
    for number, (name, choice, value) in enumerate(product(names, range(4), range(2))):
        record = found[name]
        types, fixed = typed(found, record, choice), constants_of(found, record)
        if not types or (value and not fixed) or (choice and not types[2]):
            continue
        callee = record["LLVMName"] or "llvm." + name[4:].replace("_", ".")
        text = function("f%d" % number, callee + types[2], types[0], types[1], fixed, value)
        key = re.sub(r"@f\d+", "", text)
        if key not in seen:
            seen.add(key)
            yield text
