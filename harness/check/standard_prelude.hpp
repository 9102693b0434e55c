// standard_prelude.hpp - the prelude of sources that use the C++ standard library: its headers that host code tends to include.
#pragma once
#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "prelude.hpp"
