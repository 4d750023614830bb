#include "named_files.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "files.h"

namespace sglint {
namespace {

// A regular file of moderate size; "" for anything else.
std::string content_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<size_t>(info.st_size) > kLargestFile)
    return "";
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return "";
  std::string out(static_cast<size_t>(info.st_size), '\0');
  out.resize(std::fread(out.data(), 1, out.size(), file));
  std::fclose(file);
  return out;
}

std::string from_environment(const char* name, const char* below) {
  const char* value = std::getenv(name);
  return value && *value ? std::string(value) + below : "";
}

// Where huggingface_hub keeps what it fetched (its HF_HUB_CACHE).
std::string hub_cache() {
  for (const auto& [name, below] : {std::pair("HF_HUB_CACHE", ""),
                                    {"HUGGINGFACE_HUB_CACHE", ""},
                                    {"HF_HOME", "/hub"},
                                    {"XDG_CACHE_HOME", "/huggingface/hub"},
                                    {"HOME", "/.cache/huggingface/hub"}})
    if (std::string folder = from_environment(name, below); !folder.empty()) return folder;
  return "";
}

// The folder of org/name in the Hub's cache, at the revision that "main" was when it was fetched.
std::string cached_model(const std::string& id) {
  const size_t slash = id.find('/');
  const std::string cache = hub_cache();
  if (cache.empty() || slash == 0 || slash == id.npos || id.find('/', slash + 1) != id.npos ||
      id.front() == '.')
    return "";
  const std::string folder =
      cache + "/models--" + id.substr(0, slash) + "--" + id.substr(slash + 1);
  std::string revision = content_of(folder + "/refs/main");
  while (!revision.empty() && revision.back() <= ' ') revision.pop_back();
  return revision.empty() || revision.find('/') != revision.npos
             ? ""
             : folder + "/snapshots/" + revision;
}

// The model's files as `extra_models` takes them; "" if they are not there.
std::string model_in(const std::string& folder) {
  const std::string config = content_of(folder + "/config.json");
  if (config.empty()) return "";
  std::string out = "{\"config.json\":" + config;
  for (const char* name : {"hf_quant_config.json", "generation_config.json"})
    if (const std::string beside = content_of(folder + "/" + name); !beside.empty())
      out += std::string(",\"") + name + "\":" + beside;
  return out + "}";
}

}  // namespace

void read_named_files(Request& request, const std::string& source) {
  const size_t slash = source.rfind('/');
  const std::string beside = slash == source.npos ? "" : source.substr(0, slash + 1);
  const auto places = [&](const std::string& path) {
    std::vector<std::string> out{path};
    if (path.front() != '/' && !beside.empty()) out.push_back(beside + path);
    return out;
  };
  const auto say = [](const std::string& path) {
    std::fprintf(stderr, "sglint: read %s\n", path.c_str());
  };
  // Again where a config was read: it may name the model.
  for (bool again = true; again;) {
    again = false;
    for (const NamedFile& file : files_named(request)) {
      std::vector<std::string> tried = places(file.path);
      if (file.kind == NamedFile::Kind::config) {
        for (const std::string& path : tried) {
          std::string content = content_of(path);
          if (content.empty()) continue;
          say(path);
          request.files[file.path] = std::move(content);
          again = true;
          break;
        }
      } else if (request.model.empty() && request.model_config.empty()) {
        tried.push_back(cached_model(file.path));
        for (const std::string& folder : tried) {
          std::string files = folder.empty() ? "" : model_in(folder);
          if (files.empty()) continue;
          say(folder + "/config.json");
          request.extra_models[file.path] = std::move(files);
          break;
        }
      }
    }
  }
}

}  // namespace sglint
