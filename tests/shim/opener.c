/* opener.c - opens a shared object and calls its client_main. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *object = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*client)(int, char **) = NULL;
    if (!object) return printf("%s\n", dlerror()), 1;
    *(void **)&client = dlsym(object, "client_main");
    return client(argc - 1, argv + 1);
}
