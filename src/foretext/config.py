"""The base of all settings, by the name that user code imports."""

from foretext.base.config import Config

__all__ = ["Config"]
