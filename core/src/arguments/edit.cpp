#include "arguments/edit.h"

namespace sglint {

Edit set(Field field, std::string value) {
  return {Edit::Kind::set_flag, field, {}, std::move(value)};
}
Edit unset(Field field) { return {Edit::Kind::unset_flag, field, {}, {}}; }
Edit set_env(std::string name, std::string value) {
  return {Edit::Kind::set_env, {}, std::move(name), std::move(value)};
}
Edit unset_env(std::string name) { return {Edit::Kind::unset_env, {}, std::move(name), {}}; }

}  // namespace sglint
