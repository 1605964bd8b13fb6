/*
 * entries.h - where the lanes of a gang are: the set of its divergence entries.
 *
 * An entry is some lanes that stand at one place {frame, pc}. At most one of
 * them is running; of the others some could run and some sleep until they are
 * woken by {state, key}. Masks are disjoint, and no two entries that could run
 * stand at one place: lanes that come to where others stand join them.
 *
 * The next to run is of the lowest round (slices spent), then of the deepest
 * frame, then of the oldest one, then of the lowest pc. A running entry is of
 * the set's round, and may put itself off to the next one; one that wakes is of
 * these two as well, so places are looked for in two rounds only.
 *
 * A gang belongs to one worker at a time: nothing here locks. Nothing fails
 * once the set is made, for there are never more entries than lanes.
 */
#ifndef PX_GANG_ENTRIES_H
#define PX_GANG_ENTRIES_H

#include "gang/lanes.h"

struct ptx_allocator;
struct px_frame;

/* Of equal entries the one whose frame has the lower rank runs first; no two frames of a gang have the same.
 */
#define PX_FRAME_RANK(depth, serial) ((uint64_t)(UINT16_MAX - (depth)) << 47 | (serial))

enum px_entry_state {
    PX_ENTRY_RUN,
    PX_ENTRY_BARRIER,  /* at a CTA barrier; key: its number */
    PX_ENTRY_ARRIVE,   /* there, and only for its own warps (bar.arrive) */
    PX_ENTRY_SYNC,     /* at a warp-level .sync operation */
    PX_ENTRY_MEET,     /* at an instruction that whole groups of lanes execute together; key: its pc */
    PX_ENTRY_MBARRIER, /* at an mbarrier; key: its place in shared memory */
    PX_ENTRY_CLUSTER,  /* at the cluster's barrier; key: 0 */
    PX_ENTRY_GRID,     /* before it loads the barrier word of a cooperative grid again; key: 0 */
    PX_ENTRY_PRIOR,    /* at griddepcontrol.wait; key: 0 */
    PX_ENTRY_PARK      /* an extern function asked to be called again */
};

struct px_entry {
    struct px_lanes mask;
    struct px_frame *frame;
    uint64_t hi, lo; /* its place in the order that it is in, as one number */
    uint64_t key;    /* what it waits for, within its state */
    uint32_t pc;
    uint8_t state;  /* enum px_entry_state */
    uint8_t resume; /* the record at pc waited and is now to finish: results lie in the gang's sync buffers */
    uint8_t group;  /* PX_ENTRY_MEET: lanes of a group */
    uint32_t round; /* slices spent; lower runs first */
    uint32_t spent; /* of the slice: backward branches, calls and returns while others could run */
};

/* Numbers of entries, sorted, the lowest one last. */
struct px_order {
    uint32_t n;
    uint8_t at[PX_LANES_MAX];
};

struct px_entries {
    struct px_entry *all; /* one a lane; an entry stays where it is */
    uint32_t cap;
    uint32_t round;           /* of the entry that ran last: none that could run is behind it */
    struct px_entry *running; /* NULL while the scheduler looks */
    struct px_lanes used;     /* bit i: all[i] is an entry */
    struct px_order ready;    /* could run: {round, frame, pc, resume} */
    struct px_order asleep;   /* {state, key} */
};

/* Room for `lanes` lanes. False: out of memory. px_entries_free gives it back, also to a set that is all
 * zero. */
bool px_entries_init(struct px_entries *s, const struct ptx_allocator *a, uint32_t lanes);
void px_entries_free(struct px_entries *s, const struct ptx_allocator *a);
/* Forgets all entries; then `mask` stands at pc 0 of `frame`, in round 0. */
void px_entries_start(struct px_entries *s, struct px_frame *frame, const struct px_lanes *mask);
void px_entries_clear(struct px_entries *s);

/* Makes the first entry that could run the running one; NULL when there is none. None is running. */
struct px_entry *px_entries_take(struct px_entries *s);
/* The same with any entry of the lowest round, as `random` says. */
struct px_entry *px_entries_take_any(struct px_entries *s, uint64_t random);
/* Lowest pc of `frame` at which an entry stands that could run; UINT32_MAX without one. */
uint32_t px_entries_next_pc(const struct px_entries *s, const struct px_frame *frame);
/* An entry sleeps in this state, whatever its key. */
bool px_entries_any(const struct px_entries *s, enum px_entry_state state);
/* The entries that sleep by {state, key}. */
struct px_order px_entries_asleep(const struct px_entries *s, enum px_entry_state state, uint64_t key);

/* ---- the running entry; it is none any more when it has no lanes left ---- */

/* `lanes` of it, one at least, stand at {frame, pc} and could run, with what it has spent. */
void px_entry_go(struct px_entries *s, struct px_lanes lanes, struct px_frame *frame, uint32_t pc,
                 bool resume);
/* `lanes` of it have exited; all of them. */
void px_entry_drop(struct px_entries *s, struct px_lanes lanes);
void px_entry_end(struct px_entries *s);
/* It is put off to the next round. */
void px_entry_put_off(struct px_entries *s);
/* It sleeps at its pc until it is woken by {state, key}. */
void px_entry_wait(struct px_entries *s, enum px_entry_state state, uint64_t key);
/*
 * It sleeps before the instruction at its pc, which aligned groups of `group` lanes (a multiple of 32, at
 * most the width of the gang) execute together. Lanes of its frame that wait there already are joined; groups
 * of which no lane of `live` is missing go on, as one entry.
 */
void px_entry_meet(struct px_entries *s, struct px_lanes live, uint8_t group);

/* All that stand in frame `from`, or in one that it is to return to, stand in `to`, or are to return to it.
 */
void px_entries_move(struct px_entries *s, const struct px_frame *from, struct px_frame *to);

/* ---- sleeping entries ---- */

/* All that sleep by {state, key} go on, in one round so that they may meet. */
void px_entries_wake(struct px_entries *s, enum px_entry_state state, uint64_t key);
/* `lanes` of a sleeping entry, one at least, go on. It owes nothing for the rounds it slept through, and is
 * owed nothing. */
void px_entry_wake(struct px_entries *s, struct px_entry *e, struct px_lanes lanes);
/* Lanes have exited and only `live` are left: groups may be whole now. */
void px_entries_meet_exited(struct px_entries *s, struct px_lanes live);

/* The lanes of `have` whose aligned groups of `group` lanes miss none of `live`. */
struct px_lanes px_lanes_whole(struct px_lanes have, struct px_lanes live, uint32_t group);

#endif
