#include "native/gpu/cuda/kernels/instances.cuh"

template struct sglint::gpu::Instances<sglint::gpu::Gate::kKda, __nv_bfloat16>;
