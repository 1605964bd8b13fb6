// printf in kernels: what a conversion is, and what is printed as it stands (`%.*f`, `%zd`, `%y`, a lone
// `%`). Left out: conversions after which the chip reads arguments where there are none (`%hhd %d`, `%.*f
// %d`).
#include "say.h"

__global__ void kernel(const char *s)
{
    const double x = 3.14159265358979;
    const int n = 5;
    const long long L = 0x123456789abcdef;
    printf("A[%.*f]\n", 2, x);
    printf("B[%*.2f]\n", 9, x);
    printf("C[%*.*f]\n", 9, 2, x);
    printf("D[%.*d]\n", 4, n);
    printf("E[%*d]\n", 6, n);
    printf("F[%-*d]\n", 6, n);
    printf("G[%*d]\n", -6, n);
    printf("H[%.*s]\n", 3, s);
    printf("I[%*s]\n", 8, s);
    printf("K[%hd][%d]\n", (short)-3, 7);
    printf("M[%ld][%lld][%d]\n", (long)L, L, n);
    printf("N[%lx][%llx][%x]\n", (long)L, L, n);
    printf("O[%zd][%zu][%jd][%td]\n", (size_t)5, (size_t)6, (long long)7, (long)8);
    printf("P[%i][%o][%u][%X]\n", n, n + 8, n, 255);
    printf("Q[%e][%E][%g][%G][%a][%A]\n", x, x, x, x, x, x);
    printf("R[%F][%.0f][%#.0f][%+f][% f]\n", x, x, x, x, x);
    printf("S[%c][%5c][%-5c]\n", 'a', 'b', 'c');
    printf("T[%p][%20p][%-20p]|\n", (void *)0x1234, (void *)0x1234, (void *)0);
    printf("U[%s][%10s][%-10s][%.2s]\n", s, s, s, s);
    printf("V[%%][%5%][%-5%]\n");
    printf("W[%hf][%lf][%Lf]\n", x, x, x);
    printf("X[%y][%k][%d]\n", 1, 2, 3);
    printf("Z[%5.3d][%05d][%+05d][% 5d][%#x][%#o][%-+5d]|\n", 5, 5, 5, 5, 5, 5, 5);
    printf("a[%s][%s]\n", (char *)0, s);
    printf("b[%.3s][%6.3s]\n", s, s);
    printf("g[%'d][%Id]\n", 1234567, 5);
    printf("i[%");
    printf("\n");
    printf("j[%5");
    printf("\n");
    printf("k[%ll");
    printf("\n");
    printf("l[%f][%f][%f][%e]\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, -0.0);
    printf("m[%10f][%-10f][%010f]|\n", 1.0 / 0.0, 1.0 / 0.0, 1.0 / 0.0);
    printf("n[%.40f][%.20e]\n", x, x);
    printf("o[%300d]\n", 5);
    printf("s[%-*.3f][%d]\n", 12, x, 77);
    printf("w[%1$d]\n", 5);
    printf("x[%--5d][%+-5d][%0-5d][%-05d]|\n", 5, 5, 5, 5);
    printf("y[%hs][%hc][%lp]\n", s, 'q', (void *)16);
    printf("4[%D][%U][%O][%d]\n", 1, 2, 3, 4);
    printf("6[%5 d][%d]\n", 1, 4);
    printf("7[%lld][%d][%lld]\n", L, 1, L);
    printf("!%d\n", printf(""));
    printf("!%d\n", printf("abc"));
    printf("!%d\n", printf("%d%d", 1, 2));
    printf("!%d\n", printf("%.*f", 2, x));
    printf("!%d\n", printf("%y", 2));
    printf("!%d\n", printf("%%"));
    printf("!%d\n", printf("%*d%s", 3, 4, s));
}

int main()
{
    char *s;
    setvbuf(stdout, nullptr, _IONBF, 0);
    RT(cudaMalloc(&s, 16));
    RT(cudaMemcpy(s, "hello", 6, cudaMemcpyHostToDevice));
    kernel<<<1, 1>>>(s);
    RT(cudaDeviceSynchronize());
    return 0;
}
