// cuda_pipeline_primitives.h - in cuda_pipeline.h.
#pragma once
#include "cuda_pipeline.h"
