// rotate.cu - a picture, turned about its middle and made smaller, as tiles, by a texture and a surface.
//
// nvcc -arch=sm_90 -lineinfo -ptx rotate.cu -o rotate.ptx
//
// Bilinear filtering makes the texels between texels, wrapping addresses the tiles. The result is a surface:
// what a texture reads as floats from 0 to 1 is written as bytes.

extern "C" __global__ void rotate(cudaTextureObject_t picture, cudaSurfaceObject_t result, int width, int height,
                                  float cosine, float sine)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (x + 0.5f) / width - 0.5f, v = (y + 0.5f) / height - 0.5f;
    const float4 p = tex2D<float4>(picture, u * cosine - v * sine + 0.5f, u * sine + v * cosine + 0.5f);
    surf2Dwrite(make_uchar4(p.x * 255, p.y * 255, p.z * 255, 255), result, x * 4, y);
}
