"""Another name of the package tilewright."""

from tilewright import *  # noqa: F403
from tilewright import __all__, __version__
