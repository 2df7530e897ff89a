"""What a long run says of itself: to the person before it, and to a file."""

from foretext.progress.bar import Progress, human_bytes, human_count, human_seconds, is_quiet
from foretext.progress.metrics_log import MetricsLog

__all__ = [
    "MetricsLog",
    "Progress",
    "human_bytes",
    "human_count",
    "human_seconds",
    "is_quiet",
]
