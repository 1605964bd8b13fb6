/*
 * vendor.c - stands for a runtime that is linked into a program: every function of runtime.def, each of which
 * ends the process with a word when it is called. Compiled with hidden visibility, so that the names are
 * local. VENDOR_ALIGN is what the assembler puts before each function, VENDOR_NUMBER a number in it: an
 * expression of `vendor_row`, by which functions can be told apart or not.
 */
#include <unistd.h>

#ifndef VENDOR_NUMBER
#define VENDOR_NUMBER "0"
#endif

/* As every runtime has it among the names of errors. */
__asm__(".pushsection .rodata\n.asciz \"cudaErrorCudartUnloading\"\n.popsection\nvendor_row = 0\n");

static int called(const char *name)
{
    const char *end = name;
    while (*end) end++;
    write(2, "vendor's ", 9);
    write(2, name, (size_t)(end - name));
    write(2, "\n", 1);
    _exit(99);
}

/* The first row of a name makes the function. */
#define NAME(name)                                                                                           \
    __asm__(".ifndef " #name "\n"                                                                            \
            ".pushsection .text\n" VENDOR_ALIGN ".hidden " #name "\n.globl " #name "\n.type " #name          \
            ", @function\n" #name ":\nvendor_number = " VENDOR_NUMBER                                        \
            "\nmovl $vendor_number, %eax\nleaq name_of_" #name                                               \
            "(%rip), %rdi\njmp vendor_called\n.size " #name ", . - " #name "\nname_of_" #name                \
            ": .asciz \"" #name "\"\n.popsection\nvendor_row = vendor_row + 1\n.endif\n");
#include "cuda/redirect/rows.h"

/* Bytes that no linker changes, as long functions have them. */
__asm__(".text\n.type vendor_long, @function\nvendor_long:\nvendor_byte = 1\n.rept 1024\n"
        ".byte vendor_byte & 255\nvendor_byte = vendor_byte * 5 + 3\n.endr\n.size vendor_long, . - "
        "vendor_long\n");

/* In a section of its own, so that jumps to it have relocations. */
int vendor_called(const char *name);
__attribute__((section(".text.called"))) int vendor_called(const char *name)
{
    return called(name);
}
