// block_reduce.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
