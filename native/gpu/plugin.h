/* The GPU plugin's C ABI. The command line links no CUDA: it loads libsglint_cuda.so at run time
 * and asks.
 *
 * Everything of substance is JSON text; the structs are size-prefixed, so that fields can be added
 * at their ends. A plugin exports two functions. The first gives SGLINT_GPU_ABI as it was built
 * with, the second what it offers, valid for the life of the process:
 *
 *   uint32_t sglint_gpu_abi(void);
 *   const sglint_gpu_plugin* sglint_gpu_plugin_get(void);
 */
#ifndef SGLINT_NATIVE_GPU_PLUGIN_H_
#define SGLINT_NATIVE_GPU_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SGLINT_GPU_ABI 1u

/* Text that the plugin hands out; the caller copies what it keeps. */
typedef void (*sglint_gpu_sink)(void* user, const char* text, size_t length);

typedef struct sglint_gpu_call {
  uint32_t size;            /* sizeof(sglint_gpu_call) of the caller */
  const char* command;      /* one of the plugin's features */
  const char* request;      /* a JSON object, or NULL for {} */
  sglint_gpu_sink result;   /* called once with a JSON document; after a failure {"error": "…"} */
  sglint_gpu_sink progress; /* called with a JSON object now and then while it runs; may be NULL */
  void* user;
} sglint_gpu_call;

enum {
  SGLINT_GPU_OK = 0,
  SGLINT_GPU_FOUND_FAULTS = 1, /* the command ran, and a GPU did not pass */
  SGLINT_GPU_COULD_NOT_RUN = 2 /* no driver, no GPU, a bad request; the result says why */
};

typedef struct sglint_gpu_plugin {
  uint32_t size; /* sizeof(sglint_gpu_plugin) of the plugin */
  uint32_t abi;
  const char* version;
  const char* features; /* command names, separated by spaces: "selftest bench" */
  int32_t (*call)(const sglint_gpu_call* call);
} sglint_gpu_plugin;

#ifdef __cplusplus
}
#endif

#endif  // SGLINT_NATIVE_GPU_PLUGIN_H_
