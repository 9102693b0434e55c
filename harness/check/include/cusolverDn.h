// cusolverDn.h - a library for host code: kernels need nothing of it.
#pragma once
