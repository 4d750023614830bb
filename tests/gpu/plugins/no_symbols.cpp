extern "C" int something_else(void) { return 1; }
