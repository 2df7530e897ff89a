"""ONNX with weights of 8 bits: a quarter of the bytes, and products of integers.

ONNX Runtime's dynamic quantisation: each column of a weight has a scale of its own, activations get
theirs while they are computed. Weights use 7 of their 8 bits: AVX2 adds products of 8 bits in pairs
in 16 bits, where the sum of two large ones is cut, so that processors without VNNI would compute
other numbers than those with it, and than browsers.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.base.files import temporary_folder
from foretext.exporting.foreign import foreign_errors
from foretext.exporting.form import Bound
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.onnx import OPSET, PACKAGES, OnnxFile, check_exporter, write_onnx
from foretext.exporting.usage import network_usage
from foretext.kinds import Kind

__all__ = ["OnnxInt8Export"]


class OnnxInt8Export(NetworkExport):
    """A network in ONNX, with weights in int8."""

    name = "onnx-int8"
    packages: ClassVar = PACKAGES
    bound = Bound(0.25, 0.95, 0.9)

    def __init__(self, model: Any, kind: Kind) -> None:
        super().__init__(model, kind)
        check_exporter(self)
        self.file = OnnxFile("model_quantized.onnx")

    def write_network(self, folder: Path) -> None:
        """Write the graph into the folder ``onnx``."""
        from onnxruntime.quantization import QuantType, quantize_dynamic

        (folder / "onnx").mkdir()
        with temporary_folder() as other:
            write_onnx(other / "model.onnx", self)
            before = logging.root.manager.disable
            logging.disable(logging.WARNING)  # it recommends what the exporter has done
            try:
                with foreign_errors("ONNX Runtime's quantisation"):
                    quantize_dynamic(
                        other / "model.onnx",
                        folder / self.file.name,
                        weight_type=QuantType.QInt8,
                        per_channel=True,
                        reduce_range=True,
                    )
            finally:
                logging.disable(before)

    def computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return what ONNX Runtime computes."""
        return self.file.computed(folder, rows, self.graph.outputs)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives, and how it was quantised."""
        how = {"opset": OPSET, "quantisation": "dynamic, int8 weights of 7 bits by channel"}
        return {**super().facts, "file": self.file.name, **how}

    def usage(self, folder: str) -> str:
        """Return how ONNX Runtime and others use the files."""
        return network_usage(self, folder, self.file.name)
