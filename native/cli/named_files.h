#pragma once
// What the checked launches name on disk, read from this disk.

#include <string>

#include "sglint/sglint.h"

namespace sglint {

// Adds to the request the --config files and the config.json of the models that its launches name
// and the catalogue does not know: a model from its folder, else from the Hub's cache on this host.
// Relative paths are taken from the working directory, else from the folder of `source` (the file
// that is checked;
// "" or "-": none). Says on standard error what was read. What is not there stays unknown.
void read_named_files(Request& request, const std::string& source);

}  // namespace sglint
