#include "base/uuid5.h"

#include <array>
#include <cstdint>
#include <vector>

namespace sglint {
namespace {

uint32_t rotate(uint32_t x, int n) { return (x << n) | (x >> (32 - n)); }

// FIPS 180-4. SHA-1 is what UUID version 5 is made of; nothing here is a secret.
std::array<uint8_t, 20> sha1(std::vector<uint8_t> message) {
  const uint64_t bits = static_cast<uint64_t>(message.size()) * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) message.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8)
    message.push_back(static_cast<uint8_t>(bits >> shift));
  std::array<uint32_t, 5> h = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (size_t block = 0; block < message.size(); block += 64) {
    std::array<uint32_t, 80> w{};
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 4; ++j) w[i] = (w[i] << 8) | message[block + 4 * i + j];
    for (size_t i = 16; i < 80; ++i) w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = h;
    for (size_t i = 0; i < 80; ++i) {
      uint32_t mix, constant;
      if (i < 20) {
        mix = (b & c) | (~b & d);
        constant = 0x5A827999;
      } else if (i < 40) {
        mix = b ^ c ^ d;
        constant = 0x6ED9EBA1;
      } else if (i < 60) {
        mix = (b & c) | (b & d) | (c & d);
        constant = 0x8F1BBCDC;
      } else {
        mix = b ^ c ^ d;
        constant = 0xCA62C1D6;
      }
      const uint32_t next = rotate(a, 5) + mix + e + constant + w[i];
      e = d;
      d = c;
      c = rotate(b, 30);
      b = a;
      a = next;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
  }
  std::array<uint8_t, 20> digest{};
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<uint8_t>(h[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

// uuid.NAMESPACE_URL (RFC 4122, appendix C).
constexpr uint8_t kNamespaceUrl[16] = {0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                                       0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};

}  // namespace

std::string uuid5_url_hex(std::string_view name) {
  std::vector<uint8_t> message(std::begin(kNamespaceUrl), std::end(kNamespaceUrl));
  message.insert(message.end(), name.begin(), name.end());
  std::array<uint8_t, 20> digest = sha1(std::move(message));
  digest[6] = static_cast<uint8_t>((digest[6] & 0x0F) | 0x50);  // version 5
  digest[8] = static_cast<uint8_t>((digest[8] & 0x3F) | 0x80);  // RFC 4122 variant
  std::string hex;
  for (size_t i = 0; i < 16; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

}  // namespace sglint
