// main.cpp - the program around the tests of one subject (doctest). `--help` lists its options; `-tc=*text*` runs the tests
// whose names have the text. The emulated device has handlers of its own for signals.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#include <doctest/doctest.h>
