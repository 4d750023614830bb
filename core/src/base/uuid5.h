#pragma once

#include <string>
#include <string_view>

namespace sglint {

// Python's uuid.uuid5(uuid.NAMESPACE_URL, name).hex: 32 hexadecimal digits.
std::string uuid5_url_hex(std::string_view name);

}  // namespace sglint
