"""ONNX: a network as ONNX Runtime computes it, in the folder that transformers.js opens.

PyTorch traces the network (`torch.onnx.export`); rows and positions may be of any number.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.exporting.foreign import foreign_errors
from foretext.exporting.form import Bound
from foretext.exporting.network import EncodedRow, NetworkExport
from foretext.exporting.session import Session
from foretext.exporting.usage import network_usage
from foretext.kinds import Kind

__all__ = ["OPSET", "PACKAGES", "OnnxExport", "OnnxFile", "check_exporter", "write_onnx"]

OPSET = 18
PACKAGES = {"onnx": "onnx", "onnxscript": "onnxscript", "onnxruntime": "onnxruntime"}
EXAMPLE = (2, 7)  # inputs and positions that are traced; the graph takes any numbers


class OnnxFile:
    """The file of a network in ONNX Runtime.

    Args:
        name: as transformers.js names it.
    """

    def __init__(self, name: str) -> None:
        self.name = f"onnx/{name}"
        self._sessions: dict[Path, Session] = {}

    def computed(
        self, folder: Path, rows: Sequence[EncodedRow], names: Sequence[str]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return outputs of some rows.

        Args:
            folder: of the export.
            rows: of ids.
            names: of outputs.
        """
        path = folder / self.name
        if path not in self._sessions:
            self._sessions[path] = Session(path)
        return self._sessions[path].outputs(names, [row.feeds for row in rows])


class OnnxExport(NetworkExport):
    """A network in ONNX, with weights in float32."""

    name = "onnx"
    packages: ClassVar = PACKAGES
    bound = Bound(1e-3, 0.9999)

    def __init__(self, model: Any, kind: Kind) -> None:
        super().__init__(model, kind)
        check_exporter(self)
        self.file = OnnxFile("model.onnx")

    def write_network(self, folder: Path) -> None:
        """Write the graph into the folder ``onnx``."""
        (folder / "onnx").mkdir()
        write_onnx(folder / self.file.name, self)

    def computed(
        self, folder: Path, rows: Sequence[EncodedRow]
    ) -> dict[str, list[NDArray[np.float32]]]:
        """Return what ONNX Runtime computes."""
        return self.file.computed(folder, rows, self.graph.outputs)

    @property
    def facts(self) -> Mapping[str, Any]:
        """What the network reads and gives."""
        return {**super().facts, "file": self.file.name, "opset": OPSET}

    def usage(self, folder: str) -> str:
        """Return how ONNX Runtime and others use the files."""
        return network_usage(self, folder, self.file.name)


def check_exporter(form: NetworkExport) -> None:
    """Refuse a network that this PyTorch cannot trace.

    Raises:
        SettingError: it has recurrent layers, and PyTorch cannot write operators of ONNX.
    """
    if form.is_recurrent and getattr(torch.onnx, "ops", None) is None:
        raise SettingError(
            "The model has recurrent layers, whose export needs PyTorch 2.8 or later; you have "
            f"{torch.__version__}. Install a newer version."
        )


def write_onnx(path: Path, form: NetworkExport) -> None:
    """Write the graph of a network, weights included, in one file.

    Args:
        path: of the file.
        form: whose network it is.
    """
    network = copy.deepcopy(form.graph.network).float().cpu().eval()
    names = network.input_names
    longest = network.backbone.max_length
    num_inputs, num_positions = EXAMPLE
    shape = (num_inputs * network.group, min(num_positions, longest))
    example = {
        name: torch.ones(*shape, *width, dtype=torch.int64)
        for name, width in network.input_widths.items()
    }
    example["input_ids"][0, -1:] = form.graph.tokenizer.pad
    example["attention_mask"][0, -1:] = 0
    inputs, positions = torch.export.Dim("inputs"), torch.export.Dim("positions", max=longest)
    rows = network.group * inputs if network.group > 1 else inputs
    shapes = {name: {0: rows, 1: positions} for name in names}
    with (
        foreign_errors("PyTorch's exporter to ONNX"),
        torch.no_grad(),
        warnings.catch_warnings(),
        _silent(),
    ):
        warnings.simplefilter("ignore")  # of the exporter's own making
        program = torch.onnx.export(
            network,
            kwargs=example,
            dynamo=True,
            input_names=list(names),
            output_names=list(form.graph.outputs),
            dynamic_shapes=shapes,
            opset_version=OPSET,
            optimize=True,
            verbose=False,
        )
        assert program is not None, "no program was traced"
        model = program.model_proto
    _save(model, path)


def _save(model: Any, path: Path) -> None:
    """Write a model without what the exporter notes of this machine: which line made a node."""
    import onnx

    _forget_origins(model)
    onnx.save_model(model, str(path))


def _forget_origins(message: Any) -> None:
    """Clear the notes of a message of ONNX, and of all that it holds."""
    from google.protobuf.message import Message

    for name in ("metadata_props", "doc_string"):
        if name in message.DESCRIPTOR.fields_by_name:
            message.ClearField(name)
    for kind, value in message.ListFields():
        if kind.message_type is not None:
            for each in [value] if isinstance(value, Message) else value:
                _forget_origins(each)


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
