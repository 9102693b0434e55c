// operation.cpp - the operation as one translation unit: its launch code is instantiated once.
#include "api.cpp"
#include "keyed.cpp"
#include "selection.cpp"
