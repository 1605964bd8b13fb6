// slice.cu - a volume, and a slice through it that is parallel to no face, by a 3D texture.
//
// nvcc -arch=sm_90 -lineinfo -ptx slice.cu -o slice.ptx
//
// `smoke` fills the volume: a ring with seven lumps, twisted along its axis. `slice` looks at a plane of it;
// trilinear filtering makes the texels between texels.

extern "C" __global__ void smoke(float *volume, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
              z = blockIdx.z;
    if (x >= size || y >= size) return;
    const float u = 6.0f * x / size - 3, v = 6.0f * y / size - 3, w = 6.0f * z / size - 3;
    const float ring = sqrtf(u * u + v * v) - 1.7f, lumps = 1 + 0.5f * sinf(7 * atan2f(v, u) + 3 * w);
    volume[(z * size + y) * size + x] = expf(-6 * (ring * ring + 0.4f * w * w)) * lumps;
}

extern "C" __global__ void slice(cudaTextureObject_t volume, float *picture, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float u = (x + 0.5f) / width, v = (y + 0.5f) / height;
    picture[y * width + x] = tex3D<float>(volume, u, v, 0.35f + 0.3f * v);
}
