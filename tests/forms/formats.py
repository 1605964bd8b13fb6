"""Floating-point formats with exact numbers: what test_exact.py and test_products.py expect comes from here.

A number is (kind, sign, magnitude): kind "finite", "infinite" or "nan", magnitude a Fraction.
"""
from fractions import Fraction

FINITE, INFINITE, NAN = "finite", "infinite", "nan"
A_NAN = (NAN, 0, Fraction(0))


class Format:
    """bits of the fraction, least normal exponent, bits of the magnitude, first magnitude that is no finite
    value, the magnitude of infinity (None: there is none), what a NaN is written as (None: there is none)."""

    def __init__(self, fraction, least, width, end, infinity=None, nan=None, signed=True):
        self.fraction, self.least, self.width, self.end = fraction, least, width, end
        self.infinity, self.nan, self.signed = infinity, nan, signed

    @property
    def bits(self):
        return self.width + self.signed

    def number(self, code):
        magnitude = code & ((1 << self.width) - 1)
        sign = code >> self.width & 1 if self.signed else 0
        if magnitude == self.infinity:
            return (INFINITE, sign, Fraction(0))
        if magnitude >= self.end:
            return A_NAN
        exponent, low = magnitude >> self.fraction, magnitude & ((1 << self.fraction) - 1)
        if exponent:
            low += 1 << self.fraction
        return (FINITE, sign, low * power(self.least - self.fraction + max(exponent - 1, 0)))

    def magnitude(self, value, sign, rounding):
        """The code of a finite magnitude, as if there were no largest one. rounding: "rn", "rz", "rp", "rm",
        or (random, bits)."""
        if not value:
            return 0
        exponent = max(floor_log2(value), self.least)
        units = value / power(exponent - self.fraction)
        whole = units.numerator // units.denominator
        rest = units - whole
        if isinstance(rounding, tuple):
            up = rest + Fraction(rounding[0], 1 << rounding[1]) >= 1
        else:
            half = Fraction(1, 2)
            up = {
                "rn": rest > half or (rest == half and whole & 1),
                "rz": False,
                "rp": rest > 0 and not sign,
                "rm": rest > 0 and sign,
            }[rounding]
        return ((exponent - self.least) << self.fraction) + whole + bool(up)

    def code(self, number, rounding="rn", finite=False, relu=False, positive_zero=False):
        """finite: .satfinite; relu: .relu; positive_zero: .pzo."""
        kind, sign, value = number
        if kind == NAN:
            return self.nan if self.nan is not None else self.end - 1
        if kind == INFINITE:
            magnitude = self.end
        else:
            magnitude = self.magnitude(value, sign, rounding)
        if magnitude >= self.end:
            toward = kind == FINITE and (rounding == "rz" or rounding == ("rm", "rp")[sign])
            magnitude = self.end - 1 if finite or toward or self.infinity is None else self.infinity
        if (relu and sign) or (positive_zero and not magnitude):
            return 0
        return sign << self.width | magnitude


FORMATS = {
    "f64": Format(52, -1022, 63, 0x7FF << 52, 0x7FF << 52, 0x7FFFFFFFFFFFFFFF),
    "f32": Format(23, -126, 31, 0x7F800000, 0x7F800000, 0x7FFFFFFF),
    "f16": Format(10, -14, 15, 0x7C00, 0x7C00, 0x7FFF),
    "bf16": Format(7, -126, 15, 0x7F80, 0x7F80, 0x7FFF),
    "e4m3": Format(3, -6, 7, 0x7F, None, 0x7F),
    "e5m2": Format(2, -14, 7, 0x7C, 0x7C, 0x7F),
    "e2m3": Format(3, 0, 5, 0x20),
    "e3m2": Format(2, -2, 5, 0x20),
    "e2m1": Format(1, 0, 3, 8),
    "ue4m3": Format(3, -6, 7, 0x7F, None, 0x7F, signed=False),
}


def power(exponent):
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if value >= power(exponent) else exponent - 1


def finite(value, sign=None):
    """A finite number from a Fraction; sign: of a zero."""
    return (FINITE, int(value < 0) if value or sign is None else sign, abs(value))


def signed(number):
    return -number[2] if number[1] else number[2]


def negated(number):
    return (number[0], 1 - number[1], number[2])


def ue8m0(code):
    return A_NAN if code == 0xFF else (FINITE, 0, power(code - 127))


def product(a, b):
    if NAN in (a[0], b[0]):
        return A_NAN
    sign = a[1] ^ b[1]
    if INFINITE in (a[0], b[0]):
        other = b if a[0] == INFINITE else a
        return A_NAN if other[0] == FINITE and not other[2] else (INFINITE, sign, Fraction(0))
    return (FINITE, sign, a[2] * b[2])


def quotient_by_power(a, scale):
    """a / scale, where scale is a power of two or a NaN."""
    if NAN in (a[0], scale[0]):
        return A_NAN
    return (a[0], a[1], a[2] / scale[2])


def total(a, b, rounding="rn"):
    """a + b; the sign of a zero is that of IEEE 754."""
    if NAN in (a[0], b[0]):
        return A_NAN
    if INFINITE in (a[0], b[0]):
        if a[0] == b[0] and a[1] != b[1]:
            return A_NAN
        return a if a[0] == INFINITE else b
    value = signed(a) + signed(b)
    if value:
        return finite(value)
    return (FINITE, a[1] if a[1] == b[1] else int(rounding == "rm"), Fraction(0))


def flushed(number, format_name):
    """Subnormal numbers of the format are zeros."""
    kind, sign, value = number
    small = kind == FINITE and value < power(FORMATS[format_name].least)
    return (FINITE, sign, Fraction(0)) if small else number
