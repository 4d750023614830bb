#pragma once

namespace sglint {

// `sglint selftest …`: argv[0] is the subcommand. Exit code 0 all GPUs pass, 1 some GPU fails, 2 it
// could not be run.
int selftest_main(int argc, char** argv);

}  // namespace sglint
