// cufft.h - a library for host code: kernels need its types.
#pragma once
#include "cuComplex.h"

using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = cuComplex;
using cufftDoubleComplex = cuDoubleComplex;
