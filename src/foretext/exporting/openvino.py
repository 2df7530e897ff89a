"""OpenVINO: a network in the two files of Intel's runtime, made from its ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.base.files import temporary_folder
from foretext.exporting.foreign import foreign_errors
from foretext.exporting.form import Bound
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.onnx import write_onnx
from foretext.exporting.session import feeds_of
from foretext.exporting.usage import openvino_usage
from foretext.kinds import Kind

__all__ = ["OpenVinoExport"]

FILE = Path("openvino") / "openvino_model.xml"  # where sentence-transformers looks for it
EXACT = {"INFERENCE_PRECISION_HINT": "f32"}  # by itself it takes what is fast


class OpenVinoExport(NetworkExport):
    """A network in OpenVINO, with weights in float32."""

    name = "openvino"
    extra = "openvino"
    packages: ClassVar = {"onnx": "onnx", "onnxscript": "onnxscript", "openvino": "openvino"}
    bound = Bound(1e-3, 0.9999)

    def __init__(self, model: Any, kind: Kind) -> None:
        super().__init__(model, kind)
        if self.is_recurrent:
            raise SettingError(
                "The model has recurrent layers, which OpenVINO computes differently from "
                "foretext, so it cannot be exported to openvino; export it to onnx."
            )

    def write_network(self, folder: Path) -> None:
        """Write the graph into the folder ``openvino``."""
        import openvino

        (folder / FILE).parent.mkdir()
        with temporary_folder() as other:
            write_onnx(other / "model.onnx", self)
            with foreign_errors("OpenVINO"):
                model = openvino.convert_model(other / "model.onnx")
                openvino.save_model(model, folder / FILE, compress_to_fp16=False)

    def computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return what OpenVINO computes in float32."""
        import openvino

        path = folder / FILE
        feeds = feeds_of([row.feeds for row in rows], self.graph.network.input_names)
        with foreign_errors("OpenVINO"):
            if path not in self._models:
                self._models[path] = openvino.Core().compile_model(path, "CPU", EXACT)
            found = self._models[path](feeds)
            return {name: list(np.array(found[name])) for name in self.graph.outputs}

    @cached_property
    def _models(self) -> dict[Path, Any]:
        return {}

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives."""
        return {**super().facts, "file": FILE.as_posix()}

    def usage(self, folder: str) -> str:
        """Return how OpenVINO uses the files."""
        return openvino_usage(self, folder, FILE.as_posix())
