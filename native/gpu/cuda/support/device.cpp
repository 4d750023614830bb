#include "native/gpu/cuda/support/device.h"

namespace sglint::gpu {

Device::Device(int index) : index_(index) {
  if (check(cudaSetDevice(index), "select the GPU"))
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
}

Device::~Device() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

bool Device::check(cudaError_t error, const char* what) {
  if (error != cudaSuccess && failure_.empty())
    failure_ =
        std::string(what) + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error);
  return ok();
}

bool Device::synchronize(const char* what) {
  return ok() && check(cudaStreamSynchronize(stream_), what);
}

void* Device::allocate(size_t bytes, const char* what) {
  void* p = nullptr;
  if (ok()) check(cudaMalloc(&p, bytes), (std::string("allocate ") + what).c_str());
  return p;
}

void Device::fill(void* to, int byte, size_t bytes) {
  if (ok()) check(cudaMemsetAsync(to, byte, bytes, stream_), "fill");
}

void Device::upload(void* to, const void* from, size_t bytes) {
  if (ok()) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "upload");
}

void Device::download(void* to, const void* from, size_t bytes) {
  if (ok()) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_), "download");
  synchronize("download");
}

void Device::copy(void* to, const void* from, size_t bytes) {
  if (ok()) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "copy");
}

}  // namespace sglint::gpu
