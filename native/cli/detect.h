#pragma once

namespace sglint {

// `sglint detect …`: argv[0] is the subcommand. Exit code 0 nothing is wrong, 1 a finding is an
// error, 2 no GPU could be asked (the host's own facts are printed all the same).
int detect_main(int argc, char** argv);

}  // namespace sglint
