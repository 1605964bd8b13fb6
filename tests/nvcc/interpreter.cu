// interpreter.cu - a stack machine: a dense switch becomes an indexed branch. nvcc: --jump-table-density 10
extern "C" __global__ void interpreter(const unsigned char *code, int *memory, int steps)
{
    int *stack = memory + threadIdx.x * 64;
    int pc = 0, top = 0;
    for (int i = 0; i < steps; i++) {
        switch (code[pc++]) {
        case 0:
            stack[top++] = code[pc++];
            break;
        case 1:
            stack[top - 2] += stack[top - 1], top--;
            break;
        case 2:
            stack[top - 2] -= stack[top - 1], top--;
            break;
        case 3:
            stack[top - 2] *= stack[top - 1], top--;
            break;
        case 4:
            stack[top - 1] = -stack[top - 1];
            break;
        case 5:
            stack[top] = stack[top - 1], top++;
            break;
        case 6:
            top--;
            break;
        case 7:
            pc = code[pc];
            break;
        case 8:
            pc = stack[--top] ? code[pc] : pc + 1;
            break;
        case 9:
            stack[top - 1] = memory[stack[top - 1] & 1023];
            break;
        case 10:
            atomicAdd(&memory[stack[top - 2] & 1023], stack[top - 1]), top -= 2;
            break;
        case 11:
            stack[top++] = threadIdx.x;
            break;
        case 12:
            __syncthreads();
            break;
        case 13:
            stack[top - 1] = __popc(stack[top - 1]);
            break;
        case 14:
            stack[top - 2] = stack[top - 2] < stack[top - 1], top--;
            break;
        case 15:
            stack[top - 1] >>= 1;
            break;
        case 16:
            return;
        default:
            __trap();
        }
    }
}
