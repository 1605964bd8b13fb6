"""Access patterns of patterns.ptx, and what the definitions of sector and bank say of them."""

SECTOR, BANKS, WORD, WARP = 32, 32, 4, 32


def addresses(width, start, step, turn):
    for i in range(WARP):
        yield start + (i * i * turn & 4080 if turn else i * step), width


def sectors(lanes):
    """32-byte sectors that the bytes of all lanes lie in."""
    return len({byte // SECTOR for at, width in lanes for byte in range(at, at + width)})


def wavefronts(lanes):
    """Lanes go by 32, 16 or 8 of 4, 8 or 16 bytes; different words of a bank go one after the other."""
    lanes = list(lanes)
    group, sum_ = WARP * WORD // lanes[0][1], 0
    for first in range(0, WARP, group):
        words = {byte // WORD for at, width in lanes[first : first + group] for byte in range(at, at + width)}
        sum_ += max(sum(word % BANKS == bank for word in words) for bank in range(BANKS))
    return sum_


def cases():
    """(kernel, from, step, turn)"""
    for kernel in ("global_4", "global_16", "shared_4", "shared_8", "shared_16"):
        width = int(kernel.rpartition("_")[2])
        for step in (0, 1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33):
            for start in (0, 1):
                if step * width * WARP < 12000:
                    yield kernel, start * width, step * width, 0
        for turn in (16, 48, 80, 208):
            yield kernel, 0, 0, turn


def expected(case):
    kernel, start, step, turn = case
    lanes = addresses(int(kernel.rpartition("_")[2]), start, step, turn)
    return sectors(lanes) if kernel.startswith("global") else wavefronts(lanes)
