"""The operation, as its signature says it."""

from ._signature import *  # noqa: F403
from ._signature import __all__ as __all__
