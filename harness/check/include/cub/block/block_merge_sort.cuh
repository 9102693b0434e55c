// block_merge_sort.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
