#include "base/json.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/python_text.h"

namespace sglint {
namespace {

constexpr size_t kMaxDepth = 200;

struct Builder : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
  struct Frame {
    bool is_dict = false;
    std::string key;
    Value::List list;
    Value::Dict dict;
  };
  std::vector<Frame> frames{1};  // the outermost frame collects the root
  bool too_deep = false;

  bool add(Value v) {
    Frame& top = frames.back();
    if (!top.is_dict) {
      top.list.push_back(std::move(v));
      return true;
    }
    for (Value::Item& item : top.dict) {
      if (item.first == top.key) {
        item.second = std::move(v);
        return true;
      }
    }
    top.dict.emplace_back(std::move(top.key), std::move(v));
    return true;
  }
  bool open(bool is_dict) {
    if (frames.size() > kMaxDepth) {
      too_deep = true;
      return false;
    }
    frames.emplace_back();
    frames.back().is_dict = is_dict;
    return true;
  }
  bool close() {
    Frame frame = std::move(frames.back());
    frames.pop_back();
    return add(frame.is_dict ? Value::dict(std::move(frame.dict)) : Value(std::move(frame.list)));
  }

  bool Null() { return add({}); }
  bool Bool(bool b) { return add(b); }
  // As it stands: RapidJSON's own conversion crashes beyond a double's range.
  bool RawNumber(const char* s, rapidjson::SizeType n, bool) {
    int64_t whole = 0;
    const auto [end, error] = std::from_chars(s, s + n, whole);
    if (error == std::errc() && end == s + n) return add(whole);
    return add(python_float({s, n}).value_or(0));
  }
  bool String(const char* s, rapidjson::SizeType n, bool) { return add(std::string(s, n)); }
  bool Key(const char* s, rapidjson::SizeType n, bool) {
    frames.back().key.assign(s, n);
    return true;
  }
  bool StartObject() { return open(true); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool StartArray() { return open(false); }
  bool EndArray(rapidjson::SizeType) { return close(); }
};

// Length of the well-formed UTF-8 sequence at s[i], 0 if malformed.
size_t utf8_length(std::string_view s, size_t i) {
  const auto at = [&](size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char c = at(i);
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : c >= 0xe0 && c < 0xf0 ? 3
             : c >= 0xf0 && c < 0xf5 ? 4
                                     : 0;
  if (n == 0 || i + n > s.size()) return 0;
  for (size_t k = 1; k < n; ++k)
    if ((at(i + k) & 0xc0) != 0x80) return 0;
  if (c == 0xe0 && at(i + 1) < 0xa0) return 0;
  if (c == 0xed && at(i + 1) >= 0xa0) return 0;
  if (c == 0xf0 && at(i + 1) < 0x90) return 0;
  if (c == 0xf4 && at(i + 1) >= 0x90) return 0;
  return n;
}

constexpr bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

}  // namespace

std::optional<Value> parse_json(std::string_view text, JsonError* error) {
  rapidjson::Reader reader;
  rapidjson::MemoryStream raw(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(raw);
  Builder builder;
  constexpr unsigned kFlags = rapidjson::kParseNumbersAsStringsFlag |
                              rapidjson::kParseNanAndInfFlag | rapidjson::kParseIterativeFlag |
                              rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
  if (result.IsError()) {
    if (error) {
      error->offset = result.Offset();
      error->what =
          builder.too_deep ? "Nested too deeply." : rapidjson::GetParseError_En(result.Code());
    }
    return std::nullopt;
  }
  return std::move(builder.frames.front().list.front());
}

void append_json(std::string& out, std::string_view s) {
  static const char* const kHex = "0123456789abcdef";
  out += '"';
  for (size_t i = 0; i < s.size();) {
    size_t plain = i;  // most text goes over as it is
    while (plain < s.size() && is_plain(s[plain])) ++plain;
    out.append(s.data() + i, plain - i);
    i = plain;
    if (i == s.size()) break;
    const auto c = static_cast<unsigned char>(s[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += s[i++];
    } else if (c == '\n') {
      out += "\\n";
      ++i;
    } else if (c == '\t') {
      out += "\\t";
      ++i;
    } else if (c == '\r') {
      out += "\\r";
      ++i;
    } else if (c < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      ++i;
    } else if (const size_t n = utf8_length(s, i)) {
      out.append(s, i, n);
      i += n;
    } else {
      out += "\xef\xbf\xbd";
      ++i;
    }
  }
  out += '"';
}

void append_json(std::string& out, const Value& v) {
  switch (v.type()) {
    case Value::Type::none:
      out += "null";
      return;
    case Value::Type::boolean:
      out += v.as_bool() ? "true" : "false";
      return;
    case Value::Type::integer:
      out += std::to_string(v.as_int());
      return;
    case Value::Type::real:
      out += std::isfinite(v.as_real()) ? real_repr(v.as_real())
             : std::isnan(v.as_real())  ? "\"nan\""
             : v.as_real() > 0          ? "\"inf\""
                                        : "\"-inf\"";
      return;
    case Value::Type::string:
      append_json(out, v.as_str());
      return;
    case Value::Type::list: {
      out += '[';
      bool first = true;
      for (const Value& item : v.as_list()) {
        if (!first) out += ',';
        first = false;
        append_json(out, item);
      }
      out += ']';
      return;
    }
    case Value::Type::dict: {
      out += '{';
      bool first = true;
      for (const Value::Item& item : v.as_dict()) {
        if (!first) out += ',';
        first = false;
        append_json(out, std::string_view(item.first));
        out += ':';
        append_json(out, item.second);
      }
      out += '}';
      return;
    }
  }
}

std::string to_json(const Value& v) {
  std::string out;
  append_json(out, v);
  return out;
}

}  // namespace sglint
