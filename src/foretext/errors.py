"""What the user can correct, by the names that user code imports."""

from foretext.base.errors import *  # noqa: F403
