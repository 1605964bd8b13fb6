// switch.cu - dense and sparse switches, gotos, nested loops with breaks: jump tables and odd control flow.
extern "C" __global__ void switches(const int *in, int *out)
{
    int x = in[threadIdx.x], r = 0;
    switch (x) {
    case 0:
        r = 5;
        break;
    case 1:
        r = x * 3;
        break;
    case 2:
        r = out[7];
    case 3:
        r += 11;
        break;
    case 4:
        r = __clz(x + in[1]);
        break;
    case 5:
        r = in[2] / 7;
        break;
    case 6:
        r = in[3] % 9;
        break;
    case 7:
        r = -in[4];
        break;
    case 8:
        r = in[5] << 3;
        break;
    case 9:
        r = ~in[6];
        break;
    default:
        r = -1;
    }
    switch (x * 1000) {
    case -5000:
        r++;
        break;
    case 123000:
        r--;
        break;
    case 77000:
        r *= 2;
        break;
    }
    for (int i = 0; i < x; i++) {
        for (int j = 0;; j++) {
            if (in[j] == i) goto next;
            if (in[j] > 100) goto done;
            if (j > 50) break;
            r += in[j];
        }
        continue;
    next:
        r ^= i;
    }
done:
    out[threadIdx.x] = r;
}
