// block_radix_sort.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
