// features.hpp - numbers beside sizes by which the library compares a call with tuned workloads. None: sizes say it all.
#pragma once
#include "operation.hpp"
