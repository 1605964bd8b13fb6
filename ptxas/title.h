/* title.h - the text of a code's messages without arguments. */
#ifndef PTXAS_TITLE_H
#define PTXAS_TITLE_H

/* The text of ptx_known_code with "..." where arguments stand; owned by the caller. */
char *message_title(const char *text);

#endif
