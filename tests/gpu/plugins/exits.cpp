#include <unistd.h>

namespace {
struct Exit {
  Exit() { _exit(3); }
} leave;
}  // namespace
