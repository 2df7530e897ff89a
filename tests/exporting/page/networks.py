"""What pages of networks need besides foretext; ``make clients`` puts it into ``build/npm``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

__all__ = ["NODE_MODULES", "needs_runtime"]

NODE_MODULES = Path(__file__).parents[3] / "build" / "npm" / "node_modules"
PACKAGES = ("onnxruntime-web", "@huggingface/tokenizers")
needs_runtime = pytest.mark.skipif(
    not shutil.which("node") or not all((NODE_MODULES / name).is_dir() for name in PACKAGES),
    reason="node, or onnxruntime-web in build/npm, is missing; `make clients`",
)
