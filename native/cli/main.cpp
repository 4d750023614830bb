// sglint: the command line.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "sglint/sglint.h"

int main(int argc, char** argv) {
  if (argc == 4 && !strcmp(argv[1], "check") && !strcmp(argv[2], "--batch")) {
    std::ifstream in(argv[3]);
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) puts(sglint::check_batch_line(line).c_str());
    return 0;
  }
  return 2;
}
