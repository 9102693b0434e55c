"""Block-sparse linear layers in vLLM."""

from __future__ import annotations

from typing import Any

__all__ = ["quantization_config", "register"]

#: What `quant_method` in a checkpoint's `quantization_config` says.
NAME = "tilewright_bsr"


def register() -> None:
    """Entry point that vLLM calls in each of its processes: registers the quantization method, once."""
    from . import method  # noqa: F401  its class registers itself


def quantization_config(model: Any) -> dict[str, Any]:
    """Configuration in a checkpoint's config.json for layers of `tilewright.torch.sparsify_`: block size, and the dense linear layers."""
    import torch
    from tilewright.torch import SparseLinear

    sparse = [one for one in model.modules() if isinstance(one, SparseLinear)]
    blocks = sorted({one.block for one in sparse})
    if len(blocks) != 1:
        raise ValueError(f"the model has block-sparse layers with blocks of {blocks}: it must have some, of one size")
    dense = [name for name, one in model.named_modules() if isinstance(one, torch.nn.Linear)]
    return {"quant_method": NAME, "block": blocks[0], "ignore": dense}
