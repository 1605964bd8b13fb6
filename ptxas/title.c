/* title.c - the text of a code's messages without arguments. */
#include "title.h"

#include <string.h>
#include "options.h"

char *message_title(const char *text)
{
    static const char hole[] = "...";
    char *title = must_grow(NULL, 2 * strlen(text) + 1), *to = title;
    while (*text) {
        if (*text != '%') {
            *to++ = *text++;
            continue;
        }
        text += 1 + strspn(text + 1, "l0123456789");
        text += *text != '\0';
        memcpy(to, hole, sizeof hole);
        to += sizeof hole - 1;
    }
    *to = '\0';
    return title;
}
