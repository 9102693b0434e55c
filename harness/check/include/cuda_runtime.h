// cuda_runtime.h - all that a kernel needs of it is in prelude.hpp already.
#pragma once
