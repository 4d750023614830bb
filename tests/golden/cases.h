#pragma once
// What the programs that go through the recordings share.

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace sglint {

// The paths of the .ndjson files of a folder, by name.
inline std::vector<std::string> case_files(const std::string& folder) {
  std::vector<std::string> paths;
  if (DIR* dir = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(dir))
      if (ends_with(entry->d_name, ".ndjson")) paths.push_back(folder + "/" + entry->d_name);
    closedir(dir);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A file of floors: {"SET RELEASE": {figure: percent}}; empty if it cannot be read.
inline Value read_floors(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return parse_json(text.str()).value_or(Value());
}

// Whether an option that names one ("" for any) selects it.
inline bool selected(const std::string& wanted, std::string_view have) {
  return wanted.empty() || wanted == have;
}

inline double percent(int part, int whole) { return whole ? 100.0 * part / whole : 100.0; }

}  // namespace sglint
