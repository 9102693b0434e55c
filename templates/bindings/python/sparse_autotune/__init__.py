"""Another name of the package tilewright."""

from tilewright import *  # noqa: F403
from tilewright import __all__
from tilewright._version import VERSION as __version__
