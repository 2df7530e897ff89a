"""ONNX: a network as ONNX Runtime computes it, in the folder that transformers.js opens.

PyTorch traces the network (`torch.onnx.export`); rows and positions may be of any number.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.exporting.form import Bound
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.session import Session
from foretext.exporting.usage import network_usage

__all__ = ["OPSET", "OnnxExport", "write_onnx"]

OPSET = 18
EXAMPLE = (2, 7)  # rows and positions that are traced; any others work, too


class OnnxExport(NetworkExport):
    """A network in ONNX, with weights in float32."""

    name = "onnx"
    packages: ClassVar = {"onnx": "onnx", "onnxscript": "onnxscript", "onnxruntime": "onnxruntime"}
    bound = Bound(1e-3, 0.9999)
    file: ClassVar[str] = "model.onnx"  # as transformers.js names it

    def write_network(self, folder: Path) -> None:
        """Write the graph into the folder ``onnx``."""
        (folder / "onnx").mkdir()
        write_onnx(folder / "onnx" / self.file, self)

    def computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return what ONNX Runtime computes."""
        path = folder / "onnx" / self.file
        if path not in self._sessions:
            self._sessions[path] = Session(path)
        ids, segments = [row.ids for row in rows], [row.segments for row in rows]
        return self._sessions[path].outputs(self.graph.outputs, ids, segments)

    @cached_property
    def _sessions(self) -> dict[Path, Session]:
        return {}

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives."""
        return {**super().facts, "file": f"onnx/{self.file}", "opset": OPSET}

    def usage(self, folder: str) -> str:
        """Return how ONNX Runtime and others use the files."""
        return network_usage(self, folder, f"onnx/{self.file}")


def write_onnx(path: Path, form: NetworkExport) -> None:
    """Write the graph of a network, weights included, in one file.

    Args:
        path: of the file.
        form: whose network it is.
    """
    network = copy.deepcopy(form.graph.network).float().cpu().eval()
    names = network.input_names
    example = [torch.ones(EXAMPLE, dtype=torch.int64) for _ in names]
    example[0][0, -2:] = form.graph.tokenizer.pad
    example[1][0, -2:] = 0
    longest = network.backbone.max_length
    rows, positions = torch.export.Dim("rows"), torch.export.Dim("positions", max=longest)
    shapes = {name: {0: rows, 1: positions} for name in names}
    parameters = dict(zip(("input_ids", "attention_mask", "token_type_ids"), example, strict=False))
    with torch.no_grad(), warnings.catch_warnings(), _silent():
        warnings.simplefilter("ignore")  # of the exporter's own making
        program = torch.onnx.export(
            network,
            kwargs=parameters,
            dynamo=True,
            input_names=list(names),
            output_names=list(form.graph.outputs),
            dynamic_shapes=shapes,
            opset_version=OPSET,
            optimize=True,
            verbose=False,
        )
    assert program is not None, "no program was traced"
    program.save(str(path), external_data=False)


@contextmanager
def _silent() -> Iterator[None]:
    """Keep what the exporter prints and logs off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(before)
