// What PyYAML's SafeLoader makes of a node: resolver.py's implicit tags (YAML 1.1) and
// constructor.py's SafeConstructor.
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "base/python_text.h"
#include "base/text.h"
#include "base/yaml.h"

namespace sglint {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

bool digit(char c) { return c >= '0' && c <= '9'; }

// A cursor over a scalar; each step takes what it can and says whether it took anything.
struct Scan {
  std::string_view s;
  size_t i = 0;
  bool end() const { return i == s.size(); }
  bool take(char c) { return i < s.size() && s[i] == c && (++i, true); }
  bool sign() { return take('-') || take('+'); }
  size_t run(std::string_view set) {
    const size_t begin = i;
    while (i < s.size() && set.find(s[i]) != set.npos) ++i;
    return i - begin;
  }
  bool digits(size_t least, size_t most) {
    const size_t begin = i;
    while (i < s.size() && i - begin < most && digit(s[i])) ++i;
    return i - begin >= least;
  }
};

constexpr std::string_view kDecimal = "0123456789_";

// (?::[0-5]?[0-9])+
bool sexagesimal_tail(Scan& c) {
  bool any = false;
  while (c.take(':')) {
    const size_t begin = c.i;
    if (!c.digits(1, 2) || (c.i - begin == 2 && c.s[begin] > '5')) return false;
    any = true;
  }
  return any;
}

bool is_int(std::string_view s) {
  Scan c{s};
  c.sign();
  if (c.end() || !digit(s[c.i])) return false;
  if (s[c.i] == '0') {
    ++c.i;
    if (c.end()) return true;
    if (c.take('b')) return c.run("01_") > 0 && c.end();
    if (c.take('x')) return c.run("0123456789abcdefABCDEF_") > 0 && c.end();
    return c.run("01234567_") > 0 && c.end();
  }
  c.run(kDecimal);
  return c.end() || (sexagesimal_tail(c) && c.end());
}

bool is_float(std::string_view s) {
  if (one_of(s, {".nan", ".NaN", ".NAN"})) return true;
  Scan c{s};
  const bool has_sign = c.sign();
  if (one_of(s.substr(c.i), {".inf", ".Inf", ".INF"})) return true;
  const auto exponent = [&] {
    if (c.end()) return true;
    if (!c.take('e') && !c.take('E')) return false;
    return c.sign() && c.run("0123456789") > 0 && c.end();
  };
  if (c.end()) return false;
  if (s[c.i] == '.') {
    if (has_sign) return false;
    ++c.i;
    if (c.end() || !digit(s[c.i])) return false;
    c.run(kDecimal);
    return exponent();
  }
  if (!digit(s[c.i])) return false;
  c.run(kDecimal);
  if (c.take('.')) {
    c.run(kDecimal);
    return exponent();
  }
  if (!sexagesimal_tail(c) || !c.take('.')) return false;
  c.run(kDecimal);
  return c.end();
}

struct Date {
  std::string_view year, month, day, hour, minute, second, fraction, sign, zone_hour, zone_minute;
  bool utc = false;
};

std::optional<Date> as_timestamp(std::string_view s) {
  Date d;
  Scan c{s};
  const auto number = [&](std::string_view& slot, size_t least, size_t most) {
    const size_t begin = c.i;
    if (!c.digits(least, most)) return false;
    slot = s.substr(begin, c.i - begin);
    return true;
  };
  if (!number(d.year, 4, 4) || !c.take('-') || !number(d.month, 1, 2) || !c.take('-') ||
      !number(d.day, 1, 2))
    return std::nullopt;
  if (c.end())
    return d.month.size() == 2 && d.day.size() == 2 ? std::optional<Date>(d) : std::nullopt;
  if (!c.take('T') && !c.take('t') && c.run(" \t") == 0) return std::nullopt;
  if (!number(d.hour, 1, 2) || !c.take(':') || !number(d.minute, 2, 2) || !c.take(':') ||
      !number(d.second, 2, 2))
    return std::nullopt;
  if (c.take('.')) {
    const size_t begin = c.i;
    c.run("0123456789");
    d.fraction = s.substr(begin, c.i - begin);
  }
  c.run(" \t");
  if (c.end()) return d;
  if (c.take('Z')) {
    d.utc = true;
    return c.end() ? std::optional<Date>(d) : std::nullopt;
  }
  const size_t at = c.i;
  if (!c.sign()) return std::nullopt;
  d.sign = s.substr(at, 1);
  if (!number(d.zone_hour, 1, 2)) return std::nullopt;
  if (c.take(':') && !number(d.zone_minute, 2, 2)) return std::nullopt;
  return c.end() ? std::optional<Date>(d) : std::nullopt;
}

std::string two(std::string_view digits) {
  return digits.size() < 2 ? std::string(2 - digits.size(), '0') + std::string(digits)
                           : std::string(digits);
}

// Python's str(datetime) / str(date).
std::string date_text(const Date& d) {
  std::string out = std::string(d.year) + "-" + two(d.month) + "-" + two(d.day);
  if (d.hour.empty()) return out;
  out += " " + two(d.hour) + ":" + std::string(d.minute) + ":" + std::string(d.second);
  std::string fraction(d.fraction.substr(0, 6));
  fraction.resize(6, '0');
  if (fraction != "000000") out += "." + fraction;
  if (d.utc) out += "+00:00";
  if (!d.sign.empty())
    out += std::string(d.sign) + two(d.zone_hour) + ":" +
           (d.zone_minute.empty() ? "00" : std::string(d.zone_minute));
  return out;
}

std::string without_underscores(std::string_view s) {
  std::string out;
  for (const char c : s)
    if (c != '_') out += c;
  return out;
}

// Digits of any base in base 10. Python itself prints no more than 4300 of them.
std::string decimal(std::string_view digits, unsigned base) {
  if (digits.size() > 4300) return std::string(digits);
  std::string out;  // from the last digit to the first
  for (const char c : digits) {
    auto carry = static_cast<unsigned>(c > '9' ? (c | 0x20) - 'a' + 10 : c - '0');
    for (char& d : out) {
      carry += static_cast<unsigned>(d - '0') * base;
      d = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    for (; carry; carry /= 10) out += static_cast<char>('0' + carry % 10);
  }
  return std::string(out.rbegin(), out.rend());
}

// Beyond 64 bits the digits are kept as text, which is all that str(value) shows.
Value int_value(std::string_view text) {
  std::string s = without_underscores(text);
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.erase(0, 1);
  }
  int base = 10;
  size_t skip = 0;
  if (starts_with(s, "0b"))
    base = 2, skip = 2;
  else if (starts_with(s, "0x"))
    base = 16, skip = 2;
  else if (s.size() > 1 && s[0] == '0')
    base = 8;
  int64_t value = 0;
  if (base == 10 && contains(s, ":")) {
    size_t begin = 0;
    while (begin <= s.size()) {
      const size_t end = std::min(s.find(':', begin), s.size());
      value = value * 60 + atoll(s.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
  } else {
    const auto [end, error] = std::from_chars(s.data() + skip, s.data() + s.size(), value, base);
    if (error != std::errc())
      return Value((negative ? "-" : "") +
                   decimal(std::string_view(s).substr(skip), static_cast<unsigned>(base)));
  }
  return Value(negative ? -value : value);
}

Value float_value(std::string_view text) {
  std::string s = lower(without_underscores(text));
  double sign = 1;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    if (s[0] == '-') sign = -1;
    s.erase(0, 1);
  }
  if (s == ".inf") return Value(sign * std::numeric_limits<double>::infinity());
  if (s == ".nan") return Value(std::numeric_limits<double>::quiet_NaN());
  double value = 0;
  size_t begin = 0;
  while (begin <= s.size()) {
    const size_t end = std::min(s.find(':', begin), s.size());
    value = value * 60 + python_float(s.substr(begin, end - begin)).value_or(0);
    begin = end + 1;
  }
  return Value(sign * value);
}

bool is_bool(std::string_view s) {
  return one_of(s, {"yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false", "False",
                    "FALSE", "on", "On", "ON", "off", "Off", "OFF"});
}

// The short name of the tag: "int", or the whole tag if it is not a standard one.
std::string_view tag_of(const YamlNode& node) {
  if (!node.tag.empty() && node.tag != "!")
    return starts_with(node.tag, kTagPrefix) ? std::string_view(node.tag).substr(kTagPrefix.size())
                                             : std::string_view(node.tag);
  if (node.is_sequence()) return "seq";
  if (node.is_mapping()) return "map";
  if (node.style != YamlNode::Style::plain || node.tag == "!") return "str";
  const std::string_view s = node.text;
  if (one_of(s, {"", "~", "null", "Null", "NULL"})) return "null";
  if (is_bool(s)) return "bool";
  if (is_float(s)) return "float";
  if (is_int(s)) return "int";
  if (s == "<<") return "merge";
  if (s == "=") return "value";
  if (as_timestamp(s)) return "timestamp";
  return "str";
}

class Constructor {
 public:
  std::optional<YamlError> error;

  Value scalar(const YamlNode& node) {
    const std::string_view tag = tag_of(node);
    const std::string& s = node.text;
    if (tag == "str") return Value(s);
    if (tag == "null") return {};
    if (tag == "bool") {
      const std::string word = lower(s);
      if (one_of(word, {"yes", "true", "on"})) return Value(true);
      if (one_of(word, {"no", "false", "off"})) return Value(false);
      return fail(node, "KeyError", repr(std::string_view(word)));
    }
    if (tag == "int") {
      if (!is_int(s))
        return fail(node, "ValueError",
                    "invalid literal for int() with base 10: " + repr(std::string_view(s)));
      return int_value(s);
    }
    if (tag == "float") {
      if (!is_float(s) && !is_int(s))
        return fail(node, "ValueError",
                    "could not convert string to float: " + repr(std::string_view(lower(s))));
      return float_value(s);
    }
    if (tag == "timestamp") {
      if (const std::optional<Date> date = as_timestamp(s)) return Value(date_text(*date));
      return fail(node, "AttributeError", "'NoneType' object has no attribute 'groupdict'");
    }
    return undefined(node, tag);
  }

  Value construct(const YamlNode& node) {
    if (error) return {};
    if (node.is_scalar()) return scalar(node);
    const std::string_view tag = tag_of(node);
    if (tag != "seq" && tag != "map") return undefined(node, tag);
    const auto known = done_.find(&node);
    if (known != done_.end()) return known->second;
    Value out;
    if (node.is_sequence()) {
      Value::List items;
      items.reserve(node.items.size());
      for (const YamlPtr& item : node.items) items.push_back(construct(*item));
      out = Value(std::move(items));
    } else {
      Pairs pairs;
      flatten(node, pairs);
      Value::Dict items;
      std::map<std::string, size_t> places;
      for (const auto& [key, value] : pairs) {
        if (!key->is_scalar())
          return fail(*key, "ConstructorError", "found unhashable key", &node,
                      "while constructing a mapping");
        std::string name = tag_of(*key) == "value" ? key->text : str(construct(*key));
        Value v = construct(*value);
        const auto [place, added] = places.emplace(name, items.size());
        if (added)
          items.emplace_back(std::move(name), std::move(v));
        else
          items[place->second].second = std::move(v);
      }
      out = Value::dict(std::move(items));
    }
    done_.emplace(&node, out);
    return out;
  }

 private:
  using Pairs = std::vector<std::pair<const YamlNode*, const YamlNode*>>;

  // SafeConstructor.flatten_mapping: `<<` entries go before the mapping's own. The limit keeps
  // merges of merges from growing without bound.
  void flatten(const YamlNode& node, Pairs& out, int depth = 0) {
    for (const auto& [key, value] : node.pairs) {
      if (!key->is_scalar() || tag_of(*key) != "merge") continue;
      if (out.size() > 100000 || depth > 200) {
        fail(node, "RecursionError", "merged too deep");
        return;
      }
      if (value->is_mapping()) {
        flatten(*value, out, depth + 1);
      } else if (value->is_sequence()) {
        for (auto i = value->items.rbegin(); i != value->items.rend(); ++i) {
          if (!(*i)->is_mapping()) {
            fail(**i, "ConstructorError",
                 "expected a mapping for merging, but found " + std::string(kind_name(**i)), &node,
                 "while constructing a mapping");
            return;
          }
          flatten(**i, out, depth + 1);
        }
      } else {
        fail(*value, "ConstructorError",
             "expected a mapping or list of mappings for merging, but found scalar", &node,
             "while constructing a mapping");
        return;
      }
    }
    for (const auto& [key, value] : node.pairs)
      if (!key->is_scalar() || tag_of(*key) != "merge") out.emplace_back(key.get(), value.get());
  }

  static std::string_view kind_name(const YamlNode& node) {
    return node.is_scalar() ? "scalar" : node.is_sequence() ? "sequence" : "mapping";
  }

  Value undefined(const YamlNode& node, std::string_view tag) {
    const std::string full =
        node.tag.empty() ? std::string(kTagPrefix) + std::string(tag) : node.tag;
    return fail(node, "ConstructorError",
                "could not determine a constructor for the tag " + repr(std::string_view(full)));
  }

  Value fail(const YamlNode& node, const char* exception, std::string problem,
             const YamlNode* context_node = nullptr, const char* context = "") {
    if (error) return {};
    error.emplace();
    error->exception = exception;
    error->problem = std::move(problem);
    error->span = node.span;
    if (std::string_view(exception) == "ConstructorError") error->problem_mark = node.mark;
    if (context_node) {
      error->context = context;
      error->context_mark = context_node->mark;
    }
    return {};
  }

  std::map<const YamlNode*, Value> done_;  // an alias gives the same object again
};

std::optional<Value> finish(Constructor& c, Value v, YamlError* error) {
  if (!c.error) return v;
  if (error) *error = *c.error;
  return std::nullopt;
}

}  // namespace

std::optional<Value> yaml_value(const YamlNode& node, YamlError* error) {
  Constructor c;
  if (node.height > kYamlMaxHeight) {
    if (error) error->exception = "RecursionError", error->problem = "nested too deep";
    return std::nullopt;
  }
  Value v = c.construct(node);
  return finish(c, std::move(v), error);
}

std::optional<Value> yaml_scalar(const YamlNode& node, YamlError* error) {
  Constructor c;
  Value v = node.is_scalar() ? c.scalar(node) : Value();
  return finish(c, std::move(v), error);
}

std::optional<Value> load_yaml(std::string_view text, YamlError* error) {
  const YamlStream stream = parse_yaml(text);
  // A second document is refused before it is read.
  const bool several = !stream.documents.empty() && stream.starts.size() > 1;
  if (stream.error && !several) {
    if (error) *error = *stream.error;
    return std::nullopt;
  }
  if (stream.documents.empty()) return Value();
  if (several) {
    if (error) {
      *error = {};
      error->exception = "ComposerError";
      error->context = "expected a single document in the stream";
      error->context_mark = stream.documents[0]->mark;
      error->problem = "but found another document";
      error->problem_mark = stream.starts[1];
      if (stream.documents.size() > 1) error->span = stream.documents[1]->span;
    }
    return std::nullopt;
  }
  return yaml_value(*stream.documents[0], error);
}

}  // namespace sglint
