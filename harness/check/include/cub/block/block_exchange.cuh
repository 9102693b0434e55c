// block_exchange.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
