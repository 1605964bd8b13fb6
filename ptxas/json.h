/* json.h - what the layouts that are JSON documents share. */
#ifndef PTXAS_JSON_H
#define PTXAS_JSON_H

#include <jansson.h>

/* A string; text that is no UTF-8 is replaced, since JSON cannot hold it. */
json_t *json_text(const char *value);
/* Prints a document on standard error and gives it back. */
void json_show(json_t *document);

#endif
