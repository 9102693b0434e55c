// cufftXt.h - a library for host code: kernels need the types of cufft.h.
#pragma once
#include "cufft.h"
