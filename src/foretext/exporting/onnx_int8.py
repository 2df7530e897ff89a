"""ONNX with weights of 8 bits: a quarter of the bytes, and products of integers.

ONNX Runtime's dynamic quantisation: each column of a weight has a scale of its own, activations get
theirs while they are computed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from foretext.base.files import temporary_folder
from foretext.exporting.form import Bound
from foretext.exporting.onnx import OnnxExport, write_onnx

__all__ = ["OnnxInt8Export"]


class OnnxInt8Export(OnnxExport):
    """A network in ONNX, with weights in int8."""

    name = "onnx-int8"
    bound = Bound(0.25, 0.95, 0.9)
    file: ClassVar[str] = "model_quantized.onnx"

    def write_network(self, folder: Path) -> None:
        """Write the graph into the folder ``onnx``."""
        from onnxruntime.quantization import QuantType, quantize_dynamic

        (folder / "onnx").mkdir()
        with temporary_folder() as other:
            write_onnx(other / "model.onnx", self)
            before = logging.root.manager.disable
            logging.disable(logging.WARNING)  # it recommends what the exporter has done
            try:
                quantize_dynamic(
                    other / "model.onnx",
                    folder / "onnx" / self.file,
                    weight_type=QuantType.QInt8,
                    per_channel=True,
                )
            finally:
                logging.disable(before)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives, and how it was quantised."""
        return {**super().facts, "quantisation": "dynamic, int8 weights by channel"}
