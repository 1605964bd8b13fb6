// heap.cu - malloc, free, new, delete, assert, trap on the device.
#include <cassert>

struct node {
    int value;
    node *next;
};

extern "C" __global__ void heap(int *out, int n)
{
    node *list = nullptr;
    for (int i = 0; i < n; i++) list = new node{i, list};
    assert(n == 0 || list->value == n - 1);
    int sum = 0;
    while (list) {
        node *next = list->next;
        sum += list->value;
        delete list;
        list = next;
    }
    int *scratch = static_cast<int *>(malloc(n * sizeof(int)));
    if (!scratch) __trap();
    memset(scratch, 1, n * sizeof(int));
    memcpy(out + 1, scratch, n * sizeof(int));
    free(scratch);
    out[0] = sum;
    if (sum < 0) __brkpt();
    if (sum == 12345) asm("exit;");
}
