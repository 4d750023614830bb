#include "native/gpu/selftest_facts.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace sglint::gpu {
namespace {

using rapidjson::Document;
using rapidjson::Value;

const Value* member(const Value& v, const char* name) {
  return v.IsObject() && v.HasMember(name) ? &v[name] : nullptr;
}
std::string text(const Value& v, const char* name) {
  const Value* m = member(v, name);
  return m != nullptr && m->IsString() ? m->GetString() : "";
}
double number(const Value& v, const char* name) {
  const Value* m = member(v, name);
  return m != nullptr && m->IsNumber() ? m->GetDouble() : 0;
}

bool parse(const std::string& json, Document& d) {
  d.Parse<rapidjson::kParseIterativeFlag>(json.c_str());
  return !d.HasParseError() && d.IsObject();
}
bool is_selftest(const Document& d) {
  return text(d, "kind") == "sglint-selftest" && number(d, "schema") == 1 &&
         member(d, "gpus") != nullptr && d["gpus"].IsArray();
}

std::string written(const Value& v) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> w(buffer);
  v.Accept(w);
  return buffer.GetString();
}

// [{"gate", "state", "v_heads", "speedups": [[batch, plain over replay]…]}]: of the GPU that gains
// least, for all wait for it.
bool measured(const Document& d, Value& list, Document::AllocatorType& a) {
  const Value* model = member(d, "model");
  if (model == nullptr) return false;
  std::map<int, double> least;
  for (const Value& gpu : d["gpus"].GetArray()) {
    const Value* timings = member(gpu, "timings");
    if (timings == nullptr || !timings->IsArray()) continue;
    for (const Value& t : timings->GetArray()) {
      const double speedup = number(t, "speedup");
      const int batch = static_cast<int>(number(t, "batch"));
      if (batch < 1 || !(speedup > 0)) continue;
      const auto known = least.find(batch);
      if (known == least.end() || speedup < known->second) least[batch] = speedup;
    }
  }
  if (least.empty()) return false;
  const std::string state = text(d, "state");
  Value one(rapidjson::kObjectType), speedups(rapidjson::kArrayType);
  for (const auto& [batch, speedup] : least) {
    Value pair(rapidjson::kArrayType);
    pair.PushBack(batch, a).PushBack(speedup, a);
    speedups.PushBack(pair, a);
  }
  one.AddMember("gate", Value(text(*model, "gate").c_str(), a), a);
  one.AddMember("state",
                Value(state == "bf16"  ? "bfloat16"
                      : state == "f16" ? "float16"
                                       : "float32",
                      a),
                a);
  one.AddMember("v_heads", static_cast<int>(number(*model, "v_heads")), a);
  one.AddMember("speedups", speedups, a);
  list.SetArray().PushBack(one, a);
  return true;
}

}  // namespace

std::string add_selftest(const std::string& machine, const std::string& json, std::string& why) {
  Document m, d;
  if (!parse(json, d) || !is_selftest(d)) {
    why = "the self-test's file is not a report of sglint selftest --json";
    return "";
  }
  if (!parse(machine, m)) {
    why = "a self-test goes with --here or with a detection, not with a machine of the catalogue";
    return "";
  }
  for (const Value& gpu : d["gpus"].GetArray())
    if (const std::string name = text(gpu, "name"); !name.empty() && name != text(m, "gpu_name")) {
      why = "the self-test is of a " + name + ", the machine has " + text(m, "gpu_name");
      return "";
    }
  Value list;
  if (!measured(d, list, m.GetAllocator())) {
    why = "the self-test has no timings";
    return "";
  }
  m.RemoveMember("replayssm");
  m.AddMember("replayssm", list, m.GetAllocator());
  return written(m);
}

std::string machine_of_selftest(const std::string& json) {
  Document d;
  if (!parse(json, d) || !is_selftest(d) || d["gpus"].Empty()) return "";
  const Value& first = d["gpus"][0];
  double least = 0;
  for (const Value& gpu : d["gpus"].GetArray()) {
    const double mib = number(gpu, "memory_mib");
    if (mib > 0 && (least == 0 || mib < least)) least = mib;
  }
  const int capability = static_cast<int>(number(first, "compute_capability") * 10 + 0.5);
  if (least == 0 || capability == 0) return "";
  Document m(rapidjson::kObjectType);
  auto& a = m.GetAllocator();
  Value sm(rapidjson::kArrayType);
  sm.PushBack(capability / 10, a).PushBack(capability % 10, a);
  m.AddMember("platform", "cuda", a);
  m.AddMember("sm", sm, a);
  m.AddMember("gpu_name", Value(text(first, "name").c_str(), a), a);
  m.AddMember("num_gpus", static_cast<int>(d["gpus"].Size()), a);
  m.AddMember("gpu_mem_mib", static_cast<int64_t>(least), a);
  Value list;
  if (measured(d, list, a)) m.AddMember("replayssm", list, a);
  return written(m);
}

}  // namespace sglint::gpu
