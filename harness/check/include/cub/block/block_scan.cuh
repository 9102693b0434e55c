// block_scan.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
