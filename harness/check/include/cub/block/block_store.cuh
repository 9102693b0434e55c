// block_store.cuh - in cub.cuh.
#pragma once
#include "../cub.cuh"
