/*
 * json.h - what the tool's JSON writers share.
 */
#ifndef PTXVM_JSON_H
#define PTXVM_JSON_H

#include <jansson.h>

/* A string that may be NULL, and may hold bytes that are no UTF-8. */
json_t *json_text(const char *value);

#endif
