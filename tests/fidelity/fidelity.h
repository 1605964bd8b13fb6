/* fidelity.h - the programs that a chip's recordings hold: every text that was run there (test_forms.c). */
#ifndef TESTS_FIDELITY_H
#define TESTS_FIDELITY_H

/* Takes one module's text; it lives until the call returns. */
typedef void take_text(const char *text);

/* `hw` is the folder tests/hw. False: a file is missing or malformed. */
int recorded_alu(const char *hw, take_text *take);
int recorded_async(const char *hw, take_text *take);
int recorded_matrix(const char *hw, take_text *take);
int recorded_texrules(const char *hw, take_text *take);
int recorded_texture(const char *hw, take_text *take);
int recorded_wgmma(const char *hw, take_text *take);

#endif
