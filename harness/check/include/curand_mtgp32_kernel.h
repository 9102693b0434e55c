// curand_mtgp32_kernel.h - a generator that the emulated device lacks: kernels that use it are refused by name.
#pragma once
#include "curand_kernel.h"
