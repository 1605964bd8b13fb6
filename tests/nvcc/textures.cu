// textures.cu - texture objects: fetches of every geometry, filtering, gather, level of detail, gradients.
extern "C" __global__ void textures(cudaTextureObject_t t, cudaTextureObject_t u, float4 *out, float x,
                                    float y)
{
    float4 a = tex1Dfetch<float4>(t, threadIdx.x);
    float4 b = tex1D<float4>(t, x), c = tex2D<float4>(t, x, y), d = tex3D<float4>(t, x, y, x + y);
    float4 e = tex1DLayered<float4>(t, x, 3), f = tex2DLayered<float4>(t, x, y, 2);
    float4 g = texCubemap<float4>(t, x, y, 1.0f), h = texCubemapLayered<float4>(t, x, y, 1.0f, 1);
    float4 i = tex2DLod<float4>(t, x, y, 1.5f),
           j = tex2DGrad<float4>(t, x, y, make_float2(x, y), make_float2(y, x));
    float4 k = tex2Dgather<float4>(t, x, y, 2);
    int l = tex1Dfetch<int>(u, 5) + tex2D<int>(u, x, y) + tex2D<unsigned char>(u, y, x);
    uint2 m = tex2D<uint2>(u, x, y);
    out[0] = make_float4(a.x + b.x + c.x, d.y + e.y + f.y, g.z + h.z + i.z, j.w + k.w + l + m.x + m.y);
}
