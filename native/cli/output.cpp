#include "output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace sglint {
namespace {

int failure = 0;  // errno of the first write that failed: stdio only keeps that there was one

bool note(bool ok) {
  if (!ok && failure == 0) failure = errno != 0 ? errno : EIO;
  return failure == 0;
}

}  // namespace

bool put(std::string_view text) {
  if (failure == 0) note(fwrite(text.data(), 1, text.size(), stdout) == text.size());
  return failure == 0;
}

int end_of_answer(int code) {
  if (note(fflush(stdout) == 0)) return code;
  if (failure != EPIPE)
    fprintf(stderr, "sglint: the answer cannot be written to standard output: %s\n",
            strerror(failure));
  return 2;
}

}  // namespace sglint
