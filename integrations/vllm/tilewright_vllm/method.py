"""The quantization method of vLLM: which layers are block-sparse, how their parts are loaded, and how they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from tilewright.operations.bsr_spmm.operators import linear_of_parts
from tilewright.operations.bsr_spmm.patterns import pattern_of
from torch import Tensor, nn
from vllm.model_executor.layers.linear import LinearBase, LinearMethodBase, UnquantizedLinearMethod
from vllm.model_executor.layers.quantization import register_quantization_config
from vllm.model_executor.layers.quantization.base_config import QuantizationConfig, QuantizeMethodBase

from . import NAME

_parts = {"crow": torch.int32, "col": torch.int32, "values": None}
_places = {None: 0, "q": 0, "k": 1, "v": 2}


@register_quantization_config(NAME)
class BsrConfig(QuantizationConfig):
    """Linear layers in block sparse rows, all but those that `ignore` names."""

    def __init__(self, block: int, ignore: Sequence[str] = ()) -> None:
        super().__init__()
        self.block = block
        self.ignore = frozenset(ignore)

    def get_name(self) -> str:
        return NAME

    def get_supported_act_dtypes(self) -> list[torch.dtype]:
        return [torch.float16, torch.bfloat16]

    @classmethod
    def get_min_capability(cls) -> int:
        return 80

    @staticmethod
    def get_config_filenames() -> list[str]:
        return []

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> BsrConfig:
        return cls(cls.get_from_keys(config, ["block"]), cls.get_from_keys_or(config, ["ignore"], []))

    def get_quant_method(self, layer: nn.Module, prefix: str) -> QuantizeMethodBase | None:
        if not isinstance(layer, LinearBase):
            return None
        return UnquantizedLinearMethod() if self._is_dense(prefix) else BsrLinearMethod(self.block)

    def _is_dense(self, prefix: str) -> bool:
        """Whether all layers of the checkpoint that make this one are dense."""
        parent, dot, own = prefix.rpartition(".")
        names = [f"{parent}{dot}{part}" for part in self.packed_modules_mapping.get(own, [own])]
        dense = [name in self.ignore for name in names]
        if any(dense) and not all(dense):
            raise ValueError(f"{prefix} is made of {', '.join(names)}, of which only some are dense: prune all of them or none")
        return all(dense)


class BsrLinearMethod(LinearMethodBase):
    """y = x W^T + bias, W in block sparse rows of square blocks."""

    def __init__(self, block: int) -> None:
        self.block = block

    def create_weights(
        self,
        layer: nn.Module,
        input_size_per_partition: int,
        output_partition_sizes: list[int],
        input_size: int,
        output_size: int,
        params_dtype: torch.dtype,
        **extra_weight_attrs: Any,
    ) -> None:
        if input_size_per_partition != input_size or sum(output_partition_sizes) != output_size:
            raise ValueError("block-sparse layers are not split over GPUs: run with tensor_parallel_size=1")
        wrong = [size for size in (input_size, *output_partition_sizes) if size % self.block]
        if wrong:
            raise ValueError(f"a layer of {output_partition_sizes} x {input_size} has no whole blocks of {self.block}")
        layer.bsr_shards = {name: {} for name in _parts}
        layer.bsr_sizes = list(output_partition_sizes)
        layer.bsr_columns = input_size
        for name, dtype in _parts.items():
            # Their sizes are those of the checkpoint.
            part = nn.Parameter(torch.empty(0, dtype=dtype or params_dtype), requires_grad=False)
            part.weight_loader = partial(_load, layer, name)
            layer.register_parameter(name, part)

    def process_weights_after_loading(self, layer: nn.Module) -> None:
        """Joins what was loaded, block row under block row, and lets the library know the pattern, so that no product waits for the device."""
        shards = layer.bsr_shards
        crows, starts = [], 0
        for place, size in enumerate(layer.bsr_sizes):
            missing = [name for name in _parts if place not in shards[name]]
            if missing:
                raise ValueError(f"part {place} of a block-sparse layer has no {' and no '.join(missing)} in the checkpoint")
            crow = shards["crow"][place]
            if crow.numel() != size // self.block + 1:
                raise ValueError(f"crow has {crow.numel()} entries; {size} rows in blocks of {self.block} need {size // self.block + 1}")
            crows.append(crow[place > 0 :] + starts)
            starts += int(crow[-1])
        joined = {name: torch.cat([shards[name][place] for place in sorted(shards[name])]) for name in ("col", "values")}
        for name, tensor in {"crow": torch.cat(crows), **joined}.items():
            own = getattr(layer, name)
            setattr(layer, name, nn.Parameter(tensor.to(own.device, own.dtype).contiguous(), requires_grad=False))
        layer.bsr_rows = sum(layer.bsr_sizes)
        del layer.bsr_shards
        pattern_of(layer.crow, layer.col, layer.bsr_rows, layer.bsr_columns, self.block)

    def apply(self, layer: nn.Module, x: Tensor, bias: Tensor | None = None) -> Tensor:
        return linear_of_parts(layer.crow, layer.col, layer.values, x, bias, (layer.bsr_rows, layer.bsr_columns), "none")


def _load(layer: nn.Module, name: str, param: nn.Parameter, loaded_weight: Tensor, shard: str | int | None = None) -> None:
    """Keeps a part of one of the layers that are merged: of q, k and v, by number, or the only one."""
    layer.bsr_shards[name][_places.get(shard, shard)] = loaded_weight
