// block_load.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
