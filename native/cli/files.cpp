#include "files.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace sglint {

std::optional<std::string> read_file(const std::string& path) {
  const bool standard_input = path == "-";
  struct stat info {};
  if (!standard_input && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    fprintf(stderr, "sglint: %s is a folder, not a file\n", path.c_str());
    return std::nullopt;
  }
  FILE* file = standard_input ? stdin : fopen(path.c_str(), "rb");
  if (!file) {
    fprintf(stderr, "sglint: cannot read %s: %s\n", path.c_str(), strerror(errno));
    return std::nullopt;
  }
  std::string out;
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) {
    out.append(buffer, n);
    if (out.size() > kLargestFile) break;
  }
  const bool failed = ferror(file) != 0;
  if (!standard_input) fclose(file);
  if (failed || out.size() > kLargestFile) {
    fprintf(stderr, "sglint: %s %s\n", path.c_str(),
            failed ? "cannot be read" : "is larger than 16 MiB");
    return std::nullopt;
  }
  return out;
}

}  // namespace sglint
