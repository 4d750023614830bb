#pragma once
// A model config while it is being put together: a dict that can be changed.

#include <string>
#include <string_view>
#include <utility>

#include "base/value.h"

namespace sglint {

class ConfigObject {
 public:
  ConfigObject() = default;
  explicit ConfigObject(const Value& dict) {
    items_.reserve(dict.as_dict().size() + 24);
    items_ = dict.as_dict();
  }

  const Value* find(std::string_view key) const {
    for (const Value::Item& item : items_)
      if (item.first == key) return &item.second;
    return nullptr;
  }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Value& operator[](std::string_view key) const {
    const Value* value = find(key);
    return value ? *value : kNone;
  }
  void put(std::string_view key, Value value) {
    for (Value::Item& item : items_) {
      if (item.first != key) continue;
      item.second = std::move(value);
      return;
    }
    items_.emplace_back(std::string(key), std::move(value));
  }
  void put_if_absent(std::string_view key, Value value) {
    if (!has(key)) items_.emplace_back(std::string(key), std::move(value));
  }
  void erase(std::string_view key) {
    for (size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].first != key) continue;
      items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
  const Value::Dict& items() const { return items_; }
  Value finish() && { return Value::dict(std::move(items_)); }

 private:
  Value::Dict items_;
};

}  // namespace sglint
