// surfaces.cu - surface objects: loads and stores of several widths and geometries, every boundary mode.
extern "C" __global__ void surfaces(cudaSurfaceObject_t s, float4 *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    float4 v = surf2Dread<float4>(s, x * 16, y);
    unsigned char b = surf1Dread<unsigned char>(s, x, cudaBoundaryModeZero);
    short2 h = surf3Dread<short2>(s, x * 4, y, 1, cudaBoundaryModeClamp);
    unsigned long long q;
    surf2DLayeredread(&q, s, x * 8, y, 2, cudaBoundaryModeTrap);
    out[x] = make_float4(v.x + b, v.y + h.x, v.z + h.y, v.w + (float)q);
    surf2Dwrite(v, s, x * 16, y, cudaBoundaryModeClamp);
    surf1Dwrite((int)b, s, x * 4);
    surf3Dwrite(make_uint2(x, y), s, x * 8, y, 2, cudaBoundaryModeZero);
    surfCubemapwrite(h, s, x * 4, y, 5);
}
