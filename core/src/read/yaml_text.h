#pragma once
// A YAML scalar as text of which every byte knows where it stands in the source.

#include "base/yaml.h"
#include "read/reader.h"

namespace sglint {

Decoded decode_scalar(const Source& source, const YamlNode& node);
Writing writing_of(YamlNode::Style style);
Word scalar_word(Reader& reader, const Source& source, const YamlNode& node, uint16_t context);
// The items of a sequence of scalars; nothing if an item is no scalar.
std::vector<Word> list_words(Reader& reader, const Source& source, const YamlNode& list);
// Items that hold a flag and its value in one.
void check_items(Reader& reader, const std::vector<Word>& words);
bool flag_map(Reader& reader, const Source& source, const YamlNode& node,
              const Surroundings& around, bool top);
bool looks_like_flags(const YamlNode& node);
std::string json_of(const YamlNode& node);  // as Python's json.dumps writes it
bool container(Reader& reader, const Source& source, const YamlNode& node, std::string_view name,
               bool compose, const Network& pod);

}  // namespace sglint
