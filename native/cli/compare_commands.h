#pragma once

#include "request.h"

namespace sglint {

struct MatrixCommand : RequestOptions {
  MatrixOptions matrix;
  std::string format = "text";
};

struct UpgradeCommand : RequestOptions {
  std::string from, to, format = "text";
};

// `sglint matrix`: exit code 0 if every combination is accepted.
int run_matrix(const MatrixCommand& options);

// `sglint upgrade`: exit code 0 if the command is accepted by the release that it goes to.
int run_upgrade(const UpgradeCommand& options);

}  // namespace sglint
