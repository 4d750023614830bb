// Device memory and errors for the host code of the self-test and the benchmark.
//
// Errors are values: a Device keeps the first failure and what it happened in; every later call on
// it is a no-op, so that a sequence reads straight and is checked once at its end.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sglint::gpu {

class Device {
 public:
  explicit Device(int index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  bool ok() const { return failure_.empty(); }
  const std::string& failure() const { return failure_; }
  // Takes note of a failed call; true when all is well so far.
  bool check(cudaError_t error, const char* what);
  bool synchronize(const char* what);
  cudaStream_t stream() const { return stream_; }
  int index() const { return index_; }

  void* allocate(size_t bytes, const char* what);
  void fill(void* to, int byte, size_t bytes);
  void upload(void* to, const void* from, size_t bytes);
  void download(void* to, const void* from, size_t bytes);
  void copy(void* to, const void* from, size_t bytes);  // within the device

 private:
  int index_;
  cudaStream_t stream_ = nullptr;
  std::string failure_;
};

// An array on the device between two guard zones that must stay as they were.
template <typename T>
class Array {
 public:
  Array() = default;
  Array(Device& device, size_t size, const char* what) : device_(&device), size_(size) {
    base_ = static_cast<char*>(device.allocate(bytes() + 2 * kGuard, what));
    if (base_ == nullptr) return;
    device.fill(base_, kGuardByte, kGuard);
    device.fill(base_ + kGuard + bytes(), kGuardByte, kGuard);
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (base_ != nullptr) cudaFree(base_);
  }

  T* data() const { return base_ == nullptr ? nullptr : reinterpret_cast<T*>(base_ + kGuard); }
  size_t size() const { return size_; }
  size_t bytes() const { return (size_ * sizeof(T) + 255) / 256 * 256; }

  void fill(int byte) { device_->fill(data(), byte, size_ * sizeof(T)); }
  void upload(const std::vector<T>& from) {
    device_->upload(data(), from.data(), from.size() * sizeof(T));
  }
  std::vector<T> download() const { return download(0, size_); }
  std::vector<T> download(size_t first, size_t count) const {
    std::vector<T> to(count);
    device_->download(to.data(), data() + first, count * sizeof(T));
    return to;
  }
  bool guards_intact() const {
    std::vector<unsigned char> guard(kGuard);
    for (const char* at : {base_, base_ + kGuard + bytes()}) {
      device_->download(guard.data(), at, kGuard);
      for (unsigned char byte : guard)
        if (byte != kGuardByte) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 1024;
  static constexpr int kGuardByte = 0xA5;
  void swap(Array& other) {
    std::swap(device_, other.device_);
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
  }
  Device* device_ = nullptr;
  char* base_ = nullptr;
  size_t size_ = 0;
};

// A captured sequence of launches.
class Graph {
 public:
  Graph() = default;
  Graph(Graph&& other) noexcept : exec_(std::exchange(other.exec_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;
  ~Graph() {
    if (exec_ != nullptr) cudaGraphExecDestroy(exec_);
  }
  // `launches` enqueues on the device's stream and returns its first error.
  template <typename F>
  bool capture(Device& device, F launches) {
    if (!device.check(cudaStreamBeginCapture(device.stream(), cudaStreamCaptureModeThreadLocal),
                      "begin capture"))
      return false;
    const cudaError_t launched = launches();
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(device.stream(), &graph);
    bool ok = device.check(launched, "launch under capture") &&
              device.check(ended, "end capture") &&
              device.check(cudaGraphInstantiate(&exec_, graph, 0), "instantiate graph");
    if (graph != nullptr) cudaGraphDestroy(graph);
    return ok;
  }
  bool replay(Device& device) const {
    return device.ok() && device.check(cudaGraphLaunch(exec_, device.stream()), "replay graph");
  }

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace sglint::gpu
