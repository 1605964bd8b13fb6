// vectors.cu - vector types: loads and stores of two and four elements, arithmetic by component.
extern "C" __global__ void vectors(const float4 *a, const double2 *b, const uchar4 *c, const short2 *d,
                                   const int3 *e, const ulonglong2 *f, float4 *out)
{
    int i = threadIdx.x;
    float4 v = a[i];
    double2 w = b[i];
    uchar4 x = c[i];
    short2 y = d[i];
    int3 z = e[i];
    ulonglong2 u = f[i];
    v.x += (float)w.x + x.w;
    v.y *= (float)w.y - x.z;
    v.z -= y.x + z.z;
    v.w /= y.y + (float)u.y;
    out[i] = v;
    reinterpret_cast<uchar4 *>(out)[i + 1000] = make_uchar4(x.y, x.x, x.w, x.z);
    reinterpret_cast<ushort4 *>(out)[i + 2000] = make_ushort4(y.x, y.y, z.x, z.y);
    reinterpret_cast<longlong2 *>(out)[i + 3000] = make_longlong2(u.y, u.x);
}
