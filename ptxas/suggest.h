/* suggest.h - the word of a list that is most like one that is not in it. */
#ifndef PTXAS_SUGGEST_H
#define PTXAS_SUGGEST_H

#include <stddef.h>

struct suggestion {
    const char *written;
    size_t length;  /* of `written` */
    char best[64];  /* "" while none is near */
    unsigned edits; /* between both */
};

/* Looks at one more word of the list; its text is copied. */
void suggest_offer(struct suggestion *suggestion, const char *word, size_t length);
/* "        note: did you mean 'X'?" on standard error, X behind `prefix`; nothing when no word was near. */
void suggest_print(const struct suggestion *suggestion, const char *prefix);

#endif
