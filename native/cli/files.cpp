#include "files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sglint {
namespace {

void complain(const char* what, const std::string& path, const char* why) {
  fprintf(stderr, "sglint: %s %s %s\n", what, path == "-" ? "from standard input" : path.c_str(),
          why);
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, const char* what) {
  const bool standard_input = path == "-";
  struct stat info {};
  if (!standard_input && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    complain(what, path, "is a folder, not a file");
    return std::nullopt;
  }
  FILE* file = standard_input ? stdin : fopen(path.c_str(), "rb");
  if (!file) {
    complain(what, path, (std::string("cannot be read: ") + strerror(errno)).c_str());
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
  const char* problem = failed                                         ? "cannot be read"
                        : out.size() > kLargestFile                    ? "is larger than 16 MiB"
                        : out.find_first_not_of(" \t\r\n") == out.npos ? "is empty"
                                                                       : nullptr;
  if (!problem) return out;
  complain(what, path, problem);
  return std::nullopt;
}

bool replace_file(const std::string& path, const std::string& content) {
  // Beside the file itself, not beside a link to it: rename() must stay on one file system.
  char* real = realpath(path.c_str(), nullptr);
  struct stat info {};
  if (!real || stat(real, &info) != 0) {
    complain("the file", path, strerror(errno));
    free(real);
    return false;
  }
  const std::string target = real;
  free(real);
  std::string beside = target + ".XXXXXX";
  const int fd = mkstemp(beside.data());
  bool ok = fd >= 0;
  if (ok) {
    size_t done = 0;
    while (ok && done < content.size()) {
      const ssize_t n = write(fd, content.data() + done, content.size() - done);
      ok = n > 0 || (n < 0 && errno == EINTR);
      if (n > 0) done += static_cast<size_t>(n);
    }
    // As root the owner stays as well; elsewhere only one's own files can be replaced.
    if (ok && fchown(fd, info.st_uid, info.st_gid) != 0 && geteuid() == 0) ok = false;
    ok = ok && fchmod(fd, info.st_mode & 07777) == 0 && fsync(fd) == 0;
    ok = close(fd) == 0 && ok && rename(beside.c_str(), target.c_str()) == 0;
  }
  if (ok) return true;
  const std::string why = std::string("cannot be written: ") + strerror(errno);
  if (fd >= 0) unlink(beside.c_str());
  complain("the file", path, why.c_str());
  return false;
}

}  // namespace sglint
