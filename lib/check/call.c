/*
 * call.c - calls: arguments against the callee, prototypes and target lists.
 */
#include "check/checker.h"

void px_check_targets(struct px_checker *checker, const struct px_stmt *stmt)
{
    (void)checker;
    (void)stmt;
}

void px_check_proto(struct px_checker *checker, struct px_proto *proto)
{
    (void)checker;
    (void)proto;
}

void px_check_call(struct px_checker *checker, struct px_inst *inst)
{
    (void)checker;
    (void)inst;
}
