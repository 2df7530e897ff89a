"""Models in the formats of other programs, each of which is compared with the original.

A row of `EXPORTS` names the class that writes a format and runs it again. `Kind.exports` says which
formats a kind of run has.
"""

from __future__ import annotations

from foretext.base.registry import Registry

__all__ = ["EXPORTS"]

EXPORTS = Registry(
    "export",
    {
        "onnx": "foretext.exporting.onnx:OnnxExport",
        "onnx-int8": "foretext.exporting.onnx_int8:OnnxInt8Export",
        "openvino": "foretext.exporting.openvino:OpenVinoExport",
        "gguf": "foretext.exporting.gguf.form:GgufExport",
        "gguf-f16": "foretext.exporting.gguf.form:GgufF16Export",
        "gguf-q8": "foretext.exporting.gguf.form:GgufQ8Export",
        "static": "foretext.exporting.static:StaticExport",
    },
)
