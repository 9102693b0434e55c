// features.hpp - numbers beside sizes by which the library compares a call with tuned workloads; see `features` in
// family.ts. None here.
#pragma once
#include "operation.hpp"
