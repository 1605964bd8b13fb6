"""One change to a small accepted module.

A mutator takes a module (lines) and a random source and returns (kind, changed line number, new lines), or
None when
it has nothing to change here. Which line a mutator looks at is decided by the shape of the line alone. Words
for
substitution come from the seeds (what other instructions of this opcode carry) and from the fixed lists
below.
"""
import re

TYPES = (
    "pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64 bf16 bf16x2 tf32 u16x2 s16x2 "
    "f32x2 e4m3 e5m2 e4m3x2 e5m2x2 e2m3 e3m2 e2m1 e2m1x2 e2m3x2 e3m2x2 ue8m0x2 u4 s4 b1 b6x16_p32 b4x16_p64"
).split()
MODIFIERS = (
    "rn rz rm rp rni rzi rmi rpi rna ftz sat approx full cc lo hi wide satfinite relu nan xorsign abs sync"
    " uni aligned global shared local const param shared::cta shared::cluster param::entry param::func"
    " volatile relaxed acquire release acq_rel weak sc cta gpu sys cluster ca cg cs cv wb wt lu nc v2 v4 v8"
    " x1 x2 x4 x8 eq ne lt le gt ge ltu num and or xor add min max inc dec exch cas L2::cache_hint L2::128B"
    " L1::evict_last L2::evict_first L1::no_allocate noftz trans row col m16n8k16 m8n8 to bytemask tile 1d 2d"
    " 3d a1d a2d cube acube 2dms scaled unified b2d bulk mbarrier::complete_tx::bytes multicast::cluster"
    " noinc shr7 shr15 wrap clamp left right up down bfly idx all any ballot arrive red popc async alias"
    " proxy noComplete parity mmio cta_group::1 cta_group::2 kind::f16 sp sp::ordered_metadata bogus"
).split()
VERSIONS = (
    "1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 6.0 6.1 6.2 6.3 6.4 6.5 7.0 "
    "7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0"
).split()
BAD_VERSIONS = "0.9 1.6 3.3 5.2 7.9 8.9 9.1 9.4 10.0 9 90 9.00 9.0.1 x -1.0 \"9.0\"".split()
TARGETS = (
    "sm_10 sm_11 sm_12 sm_13 sm_20 sm_21 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70"
    " sm_72 sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_103f"
    " sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121 sm_121a sm_121f"
).split()
BAD_TARGETS = "sm_76 sm_900 sm_90b sm_90f sm_101a SM_90 sm90 compute_90 sm_ 90 sm_101".split()
TARGET_OPTIONS = "texmode_unified texmode_independent debug map_f64_to_f32 bogus sm_80".split()
ARCHS = (
    "sm_75 sm_80 sm_86 sm_87 sm_88 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_110 sm_110a "
    "sm_120 sm_120a sm_120f sm_121a"
).split()
NUMBERS = (
    "0 1 2 3 4 5 7 8 9 15 16 17 31 32 33 63 64 65 127 128 129 255 256 257 511 512 1023 1024 1025 4096 32767"
    " 32768 65535 65536 2147483647 2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808"
    " 18446744073709551615 18446744073709551616 -1 -2 -8 -128 -129 -32768 -2147483648 -2147483649 0x10"
    " 0xFFFFFFFF 0x1FFFFFFFF 0b101 017 1U 0x7fU 1.0 0.5 1e3 0f3F800000 0d3FF0000000000000 0f3F80 -1.5 (1+2)"
    " ~0 !1 1/0 5%2 WARP_SZ 'a'"
).split()
SPACES = "reg global const shared local param tex sreg bogus".split()
DECL_TYPES = (
    "pred b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64 bf16 tf32 texref samplerref "
    "surfref f32x2 e4m3x2 bogus"
).split()
LINKAGES = ".visible .extern .weak .common".split()
NAMES = (
    "add mov reg a $a _a %a $ % _ %% a$b tid %tid WARP_SZ ptx 1a a.b é a-b k %envreg0 %clock pred main __x a"
    + "b" * 40
).split()
PERF = (
    ".maxntid 32|.maxntid 32,2|.maxntid 32,2,1|.maxntid 0|.maxntid 2048|.maxntid 1,2,3,4|.reqntid 32|.reqntid"
    " 0|.reqntid 1025|.reqntid 32,32,32|.minnctapersm 2|.minnctapersm 0|.maxnctapersm 4|.maxnreg 32|.maxnreg"
    " 0|.maxnreg 999|.maxnreg -1|.noreturn|.reqnctapercluster 2|.explicitcluster|.maxclusterrank"
    " 4|.blocksareclusters|.pragma \"nounroll\";|.maxntid 32 .reqntid 32|.maxnreg 32 .maxnreg"
    " 32|.maxntid|.maxntid x|.abi_preserve 8|.abi_preserve_control 2|.local_maxnreg 32|.bogus"
).split("|")
STATEMENTS = (
    ".pragma \"nounroll\";|.pragma \"bogus\";|.pragma nounroll;|.pragma \"enable_smem_spilling\";|.loc 1 2"
    " 3|.loc 9 1 1|.file 1 \"x.cu\"|.file 0 \"x.cu\"|.global .u32 zz;|.shared .b8 zz[16];|.local .u32"
    " zz;|.const .u32 zz;|.param .b32 zz;|.reg .b32 zz;|.reg .u32 %zz<4>;|.reg .b32 zz, yy<3>;|.reg .b32 zz"
    " zz;|.reg .v4 .f32 zz;|.reg .v2 .pred zz;|{ }|{|}|;|;;|zz:|zz: zz:|1:|zz::|bra zz;|.branchtargets"
    " zz;|zz: .branchtargets zz;|zz: .callprototype _ ();|zz: .callprototype (.param .b32 _) _ (.param .b64"
    " _);|zz: .calltargets k;|.visible .entry zz() { ret; }|.func zz() { ret; }|.extern .func zz();|.func"
    " zz();|.extern .shared .b8 zz[];|.weak .global .u32 zz;|.common .global .u32 zz;|.alias zz, k;|.version"
    " 9.0|.target sm_90|.address_size 64|.address_size 32|.section .debug_str { .b8 1 }|.section .zz { .b8 1"
    " }|@@DWARF .byte 0|.tex .u32 zz;|.global .texref zz;|.global .samplerref zz;|.global .surfref"
    " zz;|#define X 1|# 1 \"f\"|#include \"f\"|ret|call k;|nop;|trap;|brkpt;|exit;|.maxntid 32;|.visible .reg"
    " .u32 zz;|.global .align 3 .u32 zz;|.global .u32 zz = 1;|.global .u32 zz[2] = {1,2,3};|.global .f32 zz ="
    " 1;|.global .u32 zz = 1.5;|.global .u64 zz = zz;|.global .u8 zz = 256;|.global .s8 zz = -129;|.const"
    " .u32 zz[] = {1, 2};|.global .u32 zz[];|.global .b8 zz[0];|.global .b8 zz[-1];|.shared .u32 zz ="
    " 1;|.global .v4 .f32 zz;|.global .v3 .f32 zz;|.global .v4 .f64 zz;|.global .u32 zz[2][3] ="
    " {{1,2,3},{4,5,6}};|.global .u32 zz[2][] = {1};|.global .attribute(.managed) .u32 zz;|.global"
    " .attribute(.bogus) .u32 zz;|.global .u64 zz[2] = {generic(zz), 0};|.global .u64 zz = k;|.global .u8"
    " zz[2] = {0xff(k), 0};|.global .pred zz;|.global .f16 zz = 1.0;|.global .f64 zz = 0f3F800000;|.global"
    " .u32 zz, yy = 2, xx[3];|.reg .u32 zz = 1;|.reg .u32 zz[4];"
).split("|")
IDENT = re.compile(r"[A-Za-z_$%][\w$]*")
LITERAL = re.compile(r"(?<![\w$%.])-?\d[\w.]*")
INST = re.compile(r"^(\s*)(@!?[\w$%]+(?:\.\w+)?\s+)?([a-z]\w*(?:\.[\w:]+)*)(\s+[^;]*|\s*);\s*$")
REG_WIDTH = dict(
    pred=1,
    b8=8,
    u8=8,
    s8=8,
    b16=16,
    u16=16,
    s16=16,
    f16=16,
    b32=32,
    u32=32,
    s32=32,
    f32=32,
    f16x2=32,
    b64=64,
    u64=64,
    s64=64,
    f64=64,
    b128=128,
)


def line_kind(line):
    s = line.strip()
    if s.startswith((".version", ".target", ".address_size")):
        return "header"
    if re.match(r"(\.(visible|extern|weak|common)\s+)*\.(entry|func)\b", s):
        return "head"
    if re.match(r"(\.(visible|extern|weak|common)\s+)?\.(reg|global|const|shared|local|param|tex)\b", s):
        return "decl"
    if INST.match(line):
        return "inst"
    return "other"


def split_operands(text):
    out, depth, cur = [], 0, ""
    for c in text:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        if c == "," and depth == 0:
            out.append(cur.strip())
            cur = ""
        else:
            cur += c
    if cur.strip() or out:
        out.append(cur.strip())
    return out


class Inst:
    def __init__(self, line):
        m = INST.match(line)
        self.indent, self.guard, self.ops = m[1], m[2] or "", split_operands(m[4].strip())
        self.words = m[3].split(".")

    @property
    def opcode(self):
        return self.words[0]

    @property
    def mods(self):
        return self.words[1:]

    def text(self):
        return "%s%s%s%s;" % (
            self.indent,
            self.guard,
            ".".join(self.words),
            " " + ", ".join(self.ops) if self.ops else "",
        )


FAMILIES_OF_OPCODES = "tcgen05 mbarrier wgmma wmma clusterlaunchcontrol tensormap multimem barrier".split()


def opcode_of(line):
    """the opcode, with as many words as it takes to tell instructions of one family apart"""
    m = INST.match(line)
    if not m:
        return line.strip().split(" ")[0][:24]
    words = m[3].split(".")
    if words[0] == "cp":
        return ".".join(
            w
            for w in words[:5]
            if w in "cp async bulk reduce prefetch tensor commit_group wait_group wait_all mbarrier".split()
        )
    if words[0] in FAMILIES_OF_OPCODES or words[1:2] in (["async"], ["bulk"]):
        return ".".join(words[:2])
    return words[0]


class Vocabulary:
    """the modifiers seen with each opcode, opcodes, operand texts"""

    def __init__(self):
        self.mods, self.opcodes = {}, []

    def learn(self, text):
        for line in text.split("\n"):
            if INST.match(line):
                i = Inst(line)
                if i.opcode not in self.mods:
                    self.opcodes.append(i.opcode)
                self.mods.setdefault(i.opcode, {}).update(dict.fromkeys(i.mods))

    def modifier(self, rng, opcode):
        own = list(self.mods.get(opcode, ()))
        if own and rng.random() < 0.6:
            return rng.choice(own)
        return rng.choice(MODIFIERS if rng.random() < 0.7 else TYPES)


def typo(rng, word):
    i = rng.randrange(max(1, len(word)))
    how = rng.randrange(4)
    if how == 0:
        return word[:i] + word[i + 1 :] or "x"
    if how == 1:
        return word[:i] + rng.choice("abxz013_") + word[i:]
    if how == 2:
        return word[:i] + word[i : i + 1].upper() + word[i + 1 :] if word[i : i + 1].islower() else word + "x"
    return word[:i] + word[i + 1 : i + 2] + word[i : i + 1] + word[i + 2 :]


# ---- instructions: modifiers ----


def inst_mod_type(rng, inst, voc):
    spots = [i for i, w in enumerate(inst.words) if i and w in TYPES]
    if not spots:
        return None
    inst.words[rng.choice(spots)] = rng.choice(TYPES[:22] if rng.random() < 0.8 else TYPES)


def inst_mod_replace(rng, inst, voc):
    if not inst.mods:
        return None
    inst.words[rng.randrange(1, len(inst.words))] = voc.modifier(rng, inst.opcode)


def inst_mod_remove(rng, inst, voc):
    if not inst.mods:
        return None
    del inst.words[rng.randrange(1, len(inst.words))]


def inst_mod_add(rng, inst, voc):
    inst.words.insert(rng.randrange(1, len(inst.words) + 1), voc.modifier(rng, inst.opcode))


def inst_mod_swap(rng, inst, voc):
    if len(inst.mods) < 2:
        return None
    i, j = rng.sample(range(1, len(inst.words)), 2)
    inst.words[i], inst.words[j] = inst.words[j], inst.words[i]


def inst_mod_dup(rng, inst, voc):
    if not inst.mods:
        return None
    inst.words.insert(rng.randrange(1, len(inst.words) + 1), rng.choice(inst.mods))


def inst_mod_typo(rng, inst, voc):
    if not inst.mods:
        return None
    i = rng.randrange(1, len(inst.words))
    inst.words[i] = typo(rng, inst.words[i])


def inst_opcode(rng, inst, voc):
    inst.words[0] = typo(rng, inst.words[0]) if rng.random() < 0.3 else rng.choice(voc.opcodes)


# ---- instructions: operands ----


def inst_opd_remove(rng, inst, voc):
    if not inst.ops:
        return None
    del inst.ops[rng.randrange(len(inst.ops))]


def inst_opd_add(rng, inst, voc):
    inst.ops.insert(rng.randrange(len(inst.ops) + 1), rng.choice(inst.ops + ["1", "%mu", "[%mu]", "%mp"]))


def inst_opd_swap(rng, inst, voc):
    if len(inst.ops) < 2:
        return None
    i, j = rng.sample(range(len(inst.ops)), 2)
    inst.ops[i], inst.ops[j] = inst.ops[j], inst.ops[i]


OTHER_OPERANDS = (
    "0 1 -1 5 1.0 0f3F800000 0d3FF0000000000000 %tid.x %tid %laneid %clock64 %envreg3 WARP_SZ _ k nosuch %mp"
    " !%mp -%mu [%mu] [%ml] [%ml+4] [5] [nosuch] {%mu,%mu} {%mu} {%mu,%mu,%mu,%mu} {} (%mu) mg [mg] mg+4"
    " mg[1] [mg+4] [mg+2] [ms] ms %mv.x %mv %mw.z %mu|%mp _|%mp %mu.b0 %mu.h1 \"s\" 1+1 (%mu,%mu) LBL"
).split()


def inst_opd_kind(rng, inst, voc):
    if not inst.ops:
        return None
    inst.ops[rng.randrange(len(inst.ops))] = rng.choice(OTHER_OPERANDS)


def replace_in_operands(rng, inst, what, new):
    """One match of the expression in the operands becomes new(match)."""
    t = ", ".join(inst.ops)
    spots = list(what.finditer(t))
    if not spots:
        return None
    m = rng.choice(spots)
    inst.ops = split_operands(t[: m.start()] + new(m[0]) + t[m.end() :])


def inst_opd_name(rng, inst, voc):
    return replace_in_operands(rng, inst, IDENT, lambda name: typo(rng, name))


def inst_opd_type(rng, inst, voc):
    return replace_in_operands(rng, inst, IDENT, lambda name: "%m_" + rng.choice(list(REG_WIDTH)))


def inst_imm(rng, inst, voc):
    return replace_in_operands(rng, inst, LITERAL, lambda number: rng.choice(NUMBERS))


def inst_reg_to_imm(rng, inst, voc):
    return replace_in_operands(rng, inst, IDENT, lambda name: rng.choice(NUMBERS))


def inst_address(rng, inst, voc):
    spots = [i for i, o in enumerate(inst.ops) if "[" in o]
    if not spots:
        return None
    i = rng.choice(spots)
    o = inst.ops[i]
    inner = o[o.index("[") + 1 : o.rindex("]")] if "]" in o else o
    new = rng.choice(
        [
            "[%s+1]",
            "[%s+2]",
            "[%s+4]",
            "[%s+16]",
            "[%s+-4]",
            "[%s-4]",
            "[%s+0x7fffffff]",
            "[%s+4294967296]",
            "[%s+%%mu]",
            "[%s+1.0]",
            "%s",
            "[[%s]]",
            "[%s",
            "[%s]+4",
            "[%s].unified",
            "[-%s]",
            "[%s*2]",
            "[%s, %s]",
            "[%s, {%%mu}]",
            "[%s+nosuch]",
        ]
    )
    inst.ops[i] = new.replace("%s", inner).replace("%%", "%")


def inst_vector(rng, inst, voc):
    spots = [i for i, o in enumerate(inst.ops) if o.startswith("{")]
    if not spots:
        i = rng.randrange(len(inst.ops)) if inst.ops else None
        if i is None:
            return None
        inst.ops[i] = rng.choice(["{%s}", "{%s,%s}", "{%s,%s,%s}", "{%s,%s,%s,%s}"]).replace(
            "%s", inst.ops[i]
        )
        return None
    i = rng.choice(spots)
    parts = split_operands(inst.ops[i].strip("{}"))
    how = rng.randrange(5)
    if how == 0 and parts:
        del parts[rng.randrange(len(parts))]
    elif how == 1 and parts:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(parts))
    elif how == 2 and parts:
        parts[rng.randrange(len(parts))] = rng.choice("_ 0 1.0 %mu %mp {%mu} %tid.x nosuch".split())
    elif how == 3:
        inst.ops[i] = parts[0] if parts else "_"
        return None
    else:
        parts = parts * 2
    inst.ops[i] = "{" + ", ".join(parts) + "}"


def inst_sign(rng, inst, voc):
    t = ", ".join(inst.ops)
    spots = list(IDENT.finditer(t)) + list(re.finditer(r"(?<![\w$%.])\d[\w.]*", t))
    if not spots:
        return None
    m = rng.choice(spots)
    inst.ops = split_operands(t[: m.start()] + rng.choice(["-", "!", "~", "+"]) + t[m.start() :])


def inst_guard(rng, inst, voc):
    inst.guard = rng.choice(
        [
            "@%mp ",
            "@!%mp ",
            "@%mu ",
            "@nosuch ",
            "@1 ",
            "@!!%mp ",
            "@-%mp ",
            "@ ",
            "%mp ",
            "@%mp.x ",
            "@%mp @%mp ",
            "@k ",
            "@_ ",
        ]
    )


def inst_sink(rng, inst, voc):
    if not inst.ops:
        return None
    inst.ops[rng.randrange(len(inst.ops))] = "_"


INST_MUTATORS = [
    (inst_mod_type, 12),
    (inst_mod_replace, 10),
    (inst_mod_remove, 9),
    (inst_mod_add, 9),
    (inst_mod_swap, 4),
    (inst_mod_dup, 2),
    (inst_mod_typo, 2),
    (inst_opcode, 3),
    (inst_opd_remove, 4),
    (inst_opd_add, 3),
    (inst_opd_swap, 4),
    (inst_opd_kind, 8),
    (inst_opd_type, 10),
    (inst_opd_name, 2),
    (inst_imm, 6),
    (inst_reg_to_imm, 4),
    (inst_address, 4),
    (inst_vector, 5),
    (inst_sign, 2),
    (inst_guard, 2),
    (inst_sink, 2),
]

HELPERS = {
    "%mp": ".reg .pred %mp;",
    "%mu": ".reg .u32 %mu;",
    "%ml": ".reg .u64 %ml;",
    "%mv": ".reg .v2 .u32 %mv;",
    "%mw": ".reg .v4 .f32 %mw;",
}
GLOBALS = {"mg": ".global .u32 mg[4];", "ms": ".shared .u32 ms[4];"}


def with_helpers(lines, at):
    """declares what the changed line newly names; returns the lines and where the changed line went"""
    names, text = set(IDENT.findall(lines[at])), "\n".join(lines)
    inner = [d for n, d in HELPERS.items() if n in names]
    inner += [".reg .%s %%m_%s;" % (t, t) for t in REG_WIDTH if "%m_" + t in names]
    outer = [
        d
        for n, d in GLOBALS.items()
        if n in names and not re.search(r"\b%s\b\s*[\[;,]" % n, text.replace(lines[at], ""))
    ]
    first = max((i for i, l in enumerate(lines) if line_kind(l) == "header"), default=-1) + 1
    brace = max((i for i in range(at) if line_kind(lines[i]) == "head"), default=first) + 1
    new = lines[:first] + outer + lines[first : brace + 1] + ["\t" + d for d in inner] + lines[brace + 1 :]
    return new, at + len(outer) + len(inner)


def mutate_inst(rng, lines, voc):
    spots = [i for i, l in enumerate(lines) if line_kind(l) == "inst"]
    if not spots:
        return None
    weights = [1 if lines[i].strip() in ("ret;", "exit;") else 12 for i in spots]
    at = rng.choices(spots, weights)[0]
    function = rng.choices([m for m, _ in INST_MUTATORS], [w for _, w in INST_MUTATORS])[0]
    inst = Inst(lines[at])
    before = inst.text()
    function(rng, inst, voc)
    if inst.text() == before:
        return None
    new, at = with_helpers(lines[:at] + [inst.text()] + lines[at + 1 :], at)
    return function.__name__, at, new


# ---- declarations ----


def decl_type(rng, s, lines):
    spots = [m for m in re.finditer(r"\.(\w+)", s) if m[1] in DECL_TYPES]
    if not spots:
        return None
    m = rng.choice(spots)
    return s[: m.start()] + "." + rng.choice(DECL_TYPES) + s[m.end() :]


def decl_space(rng, s, lines):
    m = re.search(r"\.(reg|global|const|shared|local|param|tex)\b", s)
    return s[: m.start()] + "." + rng.choice(SPACES) + s[m.end() :]


def decl_align(rng, s, lines):
    m = re.search(r"\.align\s+\S+", s)
    new = ".align " + rng.choice(
        "0 1 2 3 4 5 8 16 32 64 128 256 512 1024 4096 65536 1073741824 -4 x 1.0".split()
    )
    if m:
        return s[: m.start()] + (new if rng.random() < 0.8 else "") + s[m.end() :]
    m = re.search(r"\.(reg|global|const|shared|local|param|tex)\b", s)
    return s[: m.end()] + " " + new + s[m.end() :]


def decl_vector(rng, s, lines):
    new = " ." + rng.choice("v2 v4 v8 v3 v1".split())
    m = re.search(r"\s\.v\d\b", s)
    if m:
        return s[: m.start()] + (new if rng.random() < 0.5 else "") + s[m.end() :]
    m = re.search(r"\.(reg|global|const|shared|local|param|tex)\b", s)
    return s[: m.end()] + new + s[m.end() :]


def decl_dimension(rng, s, lines):
    m = re.search(r"\[([^\]]*)\]", s)
    new = "[" + rng.choice(NUMBERS + ["", "nosuch"]) + "]"
    if m:
        return s[: m.start()] + rng.choice([new, new, "", "[2]" + new, m[0] + new]) + s[m.end() :]
    return re.sub(r"\s*([;=])", lambda q: new + q[1], s, count=1)


def decl_range(rng, s, lines):
    m = re.search(r"<(\d+)>", s)
    new = "<" + rng.choice(NUMBERS + [""]) + ">"
    if m:
        return s[: m.start()] + rng.choice([new, new, ""]) + s[m.end() :]
    return s.replace(";", new + ";", 1)


def decl_init(rng, s, lines):
    new = rng.choice(
        "0 1 -1 256 1.0 0f3F800000 0d3FF0000000000000 {1} {1,2} {1,2,3,4,5,6,7,8,9} {} {{1}} nosuch k "
        "generic(k) 1+2 (1.0+2.0) 1/0 5000000000 {1.0,2.0} \"abc\" WARP_SZ 1:2 mg".split()
    )
    m = re.search(r"=\s*([^;]*)", s)
    if m:
        if rng.random() < 0.3:
            return s[: m.start()].rstrip() + s[m.end() :]
        return s[: m.start(1)] + new + s[m.end(1) :]
    return re.sub(r"\s*;", lambda q: " = " + new + ";", s, count=1)


def decl_name(rng, s, lines):
    m = re.search(r"([\w$%]+)\s*([\[;=<,])", s)
    return s[: m.start(1)] + rng.choice(NAMES) + s[m.end(1) :] if m else None


def decl_linkage(rng, s, lines):
    m = re.match(r"\s*(\.(visible|extern|weak|common))\s+", s)
    if m:
        return s[: m.start(1)] + rng.choice(LINKAGES + [""]) + s[m.end(1) :]
    return re.sub(r"^(\s*)", lambda q: q[1] + rng.choice(LINKAGES) + " ", s)


def decl_list(rng, s, lines):
    m = re.search(r"([\w$%]+)((\[[^\]]*\])*|<\d+>)?\s*;", s)
    return (
        s[: m.end()].rstrip().rstrip(";")
        + rng.choice([", zz", ", zz[2]", ", zz<3>", ", zz = 1", ",", ", " + m[1], " zz"])
        + ";"
        if m
        else None
    )


def decl_word(rng, s, lines):
    words = s.split(" ")
    i = rng.randrange(len(words))
    how = rng.randrange(4)
    if how == 0:
        del words[i]
    elif how == 1:
        words.insert(i, words[i])
    elif how == 2 and len(words) > 1:
        j = rng.randrange(len(words))
        words[i], words[j] = words[j], words[i]
    else:
        words[i] = typo(rng, words[i])
    return " ".join(words)


def decl_attribute(rng, s, lines):
    m = re.search(r"\.(reg|global|const|shared|local|param|tex)\b", s)
    new = rng.choice(
        " .attribute(.managed)| .attribute(.unified(1,2))| .attribute(.bogus)| .attribute()| .ptr| .ptr"
        " .global| .ptr .align 8| .ptr .global .align 16| .surfref| .const| .visible".split("|")
    )
    return s[: m.end()] + new + s[m.end() :]


DECL_MUTATORS = [
    (decl_type, 10),
    (decl_space, 6),
    (decl_align, 6),
    (decl_vector, 4),
    (decl_dimension, 6),
    (decl_range, 3),
    (decl_init, 8),
    (decl_name, 4),
    (decl_linkage, 5),
    (decl_list, 3),
    (decl_word, 5),
    (decl_attribute, 3),
]


def mutate_line(rng, lines, kind, mutators):
    """One line of a kind by one of its mutators, which are called with the line and all lines."""
    spots = [i for i, l in enumerate(lines) if line_kind(l) == kind]
    if not spots:
        return None
    at = rng.choice(spots)
    function = rng.choices([m for m, _ in mutators], [w for _, w in mutators])[0]
    s = function(rng, lines[at], lines)
    return (function.__name__, at, lines[:at] + [s] + lines[at + 1 :]) if s and s != lines[at] else None


def mutate_decl(rng, lines, voc):
    return mutate_line(rng, lines, "decl", DECL_MUTATORS)


# ---- function heads ----


def head_linkage(rng, s, lines):
    m = re.match(r"\.(visible|extern|weak|common)\s+", s)
    return (
        rng.choice(LINKAGES) + " " + (s[m.end() :] if m else s)
        if not m or rng.random() < 0.6
        else s[m.end() :]
    )


def head_kind(rng, s, lines):
    return s.replace(".entry", ".func", 1) if ".entry" in s else s.replace(".func", ".entry", 1)


def params_of(s):
    i = s.rfind("(")
    j = s.find(")", i)
    return (i + 1, j) if 0 <= i < j else None


def head_param(rng, s, lines):
    spot = params_of(s)
    if not spot:
        return None
    params = split_operands(s[spot[0] : spot[1]])
    new = rng.choice(
        ".param .u32 zz|.param .align 8 .b8 zz[16]|.param .b8 zz[]|.reg .u32 zz|.param .u64 .ptr .global"
        " .align 4 zz|.param .pred zz|.param .f16x2 zz|.param .v4 .f32 zz|.param .texref zz|.param .b8"
        " zz|.param .u32 zz = 1|.param .u32|.param zz|.u32 zz|.param .b8 zz[40000]|.param .b8 zz[4352]|.param"
        " .b8 zz[4353]|.param .align 3 .b8 zz[4]|.param .align 256 .b8 zz[4]|.global .u32 zz|.param .u32 .ptr"
        " zz|.param .u32 zz[2][2]|.param .bogus zz|.reg .b8 zz|.reg .pred zz|.reg .v2 .u32 zz|.param"
        " .samplerref zz|.param .b128 zz|.param .u64 .ptr .shared zz|.param .u64 .ptr .param zz|.param .u64"
        " .ptr .align 3 zz|...".split("|")
    )
    how = rng.randrange(5)
    if how == 0 and params:
        del params[rng.randrange(len(params))]
    elif how == 1 and params:
        i = rng.randrange(len(params))
        t = decl_type(rng, params[i], None)
        params[i] = t or new
    elif how == 2 and params:
        params.append(rng.choice(params))
    else:
        params.insert(rng.randrange(len(params) + 1), new)
    return s[: spot[0]] + ", ".join(params) + s[spot[1] :]


def head_return(rng, s, lines):
    if ".func" not in s:
        return None
    m = re.search(r"\.func\s*(\([^)]*\))?", s)
    new = rng.choice(
        "(.param .u32 zr)|(.reg .u32 zr)|(.param .b8 zr[8])|(.param .u32 zr, .param .u32 zs)|(.reg .u32 zr,"
        " .reg .u32 zs)|()|(.param .pred zr)|(.param .b8 zr[])|(.param .u32)|".split("|")
    )
    return s[: m.start()] + ".func " + new + s[m.end() :]


def head_perf(rng, s, lines):
    tail = " " + rng.choice(PERF)
    return (
        s[:-1] + tail + ";" if s.endswith(";") else s.replace("{", tail + " {", 1) if "{" in s else s + tail
    )


def head_name(rng, s, lines):
    m = re.search(r"([\w$%]+)\s*\((?!.*[)]\s*[\w$%]+\s*\()", s)
    return s[: m.start(1)] + rng.choice(NAMES) + s[m.end(1) :] if m else None


def head_word(rng, s, lines):
    return decl_word(rng, s, None)


def head_body(rng, s, lines):
    return rng.choice(
        [
            s + ";",
            s + " { ret; }",
            s.replace("(", "", 1),
            s.replace(")", "", 1),
            s.replace("()", "", 1),
            s + " :",
        ]
    )


HEAD_MUTATORS = [
    (head_linkage, 4),
    (head_kind, 3),
    (head_param, 12),
    (head_return, 4),
    (head_perf, 10),
    (head_name, 3),
    (head_word, 4),
    (head_body, 3),
]


def mutate_head(rng, lines, voc):
    return mutate_line(rng, lines, "head", HEAD_MUTATORS)


# ---- the header, statements, characters ----


def mutate_header(rng, lines, voc):
    spots = [i for i, l in enumerate(lines) if line_kind(l) == "header"]
    if not spots:
        return None
    at = rng.choice(spots[:2] if rng.random() < 0.9 else spots)
    s, how = lines[at], rng.random()
    if how < 0.03:
        return "header_remove", at, lines[:at] + lines[at + 1 :]
    if how < 0.05:
        return "header_dup", at, lines[:at] + [s] + lines[at:]
    if s.startswith(".version"):
        s = ".version " + rng.choice(VERSIONS if how < 0.93 else BAD_VERSIONS)
        kind = "header_version"
    elif s.startswith(".target"):
        if how < 0.8:
            s, kind = re.sub(r"sm_\w+", rng.choice(TARGETS), s), "header_target"
        elif how < 0.87:
            s, kind = ".target " + rng.choice(BAD_TARGETS), "header_target_bad"
        else:
            s, kind = s + rng.choice([", ", ", ", " "]) + rng.choice(TARGET_OPTIONS), "header_option"
    else:
        s, kind = ".address_size " + rng.choice(["32", "64", "16", "0", "", "x"]), "header_address"
    return (kind, at, lines[:at] + [s] + lines[at + 1 :]) if s != lines[at] else None


def mutate_statement(rng, lines, voc):
    at, how = rng.randrange(len(lines)), rng.randrange(10)
    if how == 0:
        return "line_remove", at, lines[:at] + lines[at + 1 :]
    if how == 1:
        return "line_dup", at, lines[:at] + [lines[at]] + lines[at:]
    if how == 2 and at + 1 < len(lines):
        return "line_swap", at, lines[:at] + [lines[at + 1], lines[at]] + lines[at + 2 :]
    return "line_insert", at, lines[:at] + [rng.choice(STATEMENTS)] + lines[at:]


def mutate_text(rng, lines, voc):
    at, how = rng.randrange(len(lines)), rng.randrange(6)
    s = lines[at]
    tokens = list(re.finditer(r"[\w$%.]+|[^\s\w]", s))
    if not tokens:
        return None
    m = rng.choice(tokens)
    if how == 0:
        return "token_remove", at, lines[:at] + [s[: m.start()] + s[m.end() :]] + lines[at + 1 :]
    if how == 1:
        return "token_dup", at, lines[:at] + [s[: m.end()] + " " + m[0] + s[m.end() :]] + lines[at + 1 :]
    if how == 2:
        other = rng.choice(list(re.finditer(r"[\w$%.]+|[^\s\w]", rng.choice(lines))) or tokens)
        return "token_other", at, lines[:at] + [s[: m.start()] + other[0] + s[m.end() :]] + lines[at + 1 :]
    if how == 3:
        c = rng.choice(
            list("@#`?\\\"'~^&;:,.(){}[]<>=+-*/!|$%_\t")
            + ["/*", "//", "*/", "\u00e9", "\r", "\f", "\v", "\x01"]
        )
        i = rng.randrange(len(s) + 1)
        return "char_insert", at, lines[:at] + [s[:i] + c + s[i:]] + lines[at + 1 :]
    if how == 4:
        i = rng.randrange(len(s))
        return "char_remove", at, lines[:at] + [s[:i] + s[i + 1 :]] + lines[at + 1 :]
    return "line_break", at, lines[:at] + [s[: m.start()], s[m.start() :]] + lines[at + 1 :]


FAMILIES = {  # weights by kind of seed: instruction modules, declaration modules
    "inst": [
        (mutate_inst, 72),
        (mutate_header, 15),
        (mutate_decl, 5),
        (mutate_head, 2),
        (mutate_statement, 3),
        (mutate_text, 3),
    ],
    "decl": [
        (mutate_inst, 12),
        (mutate_header, 10),
        (mutate_decl, 34),
        (mutate_head, 22),
        (mutate_statement, 14),
        (mutate_text, 8),
    ],
}


def mutate(rng, text, family, voc):
    """(kind, line index, new text, retarget) with exactly one change; retries until something changed"""
    lines = text.rstrip("\n").split("\n")
    choices = FAMILIES[family]
    for _ in range(50):
        function = rng.choices([f for f, _ in choices], [w for _, w in choices])[0]
        got = function(rng, lines, voc)
        if got and got[2] != lines:
            return got[0], got[1], "\n".join(got[2]) + "\n"
    return None
