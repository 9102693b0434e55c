// cluster.cuh - thread blocks of a cluster whose size a kernel knows when it is compiled; 1 is no cluster.
#pragma once
#include "tw/ptx.cuh"

namespace tw {

/// This thread block's rank in its cluster.
template <int Cluster>
TW_DEVICE int cluster_rank() {
  if constexpr (Cluster == 1)
    return 0;
  else
    return static_cast<int>(ptx::cluster_rank());
}

/// A barrier of all threads of the cluster.
template <int Cluster>
TW_DEVICE void cluster_sync() {
  if constexpr (Cluster == 1)
    __syncthreads();
  else
    ptx::cluster_sync();
}

}  // namespace tw
