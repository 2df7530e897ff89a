"""How an exported network is used, as Markdown: blocks for the programs that open its folder."""

from __future__ import annotations

from foretext.exporting.network import NetworkExport

__all__ = ["network_usage"]


def network_usage(form: NetworkExport, folder: str, file: str) -> str:
    """Return how ONNX Runtime uses a file."""
    graph = form.graph
    names = ", ".join(f'"{name}"' for name in graph.outputs)
    return f"""## Use

{form.longer}

```python
import numpy as np, onnxruntime, tokenizers

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
session = onnxruntime.InferenceSession("{folder}/{file}")
encoded = tokenizer.encode("a text")
outputs = session.run([{names}], {{}})
```
"""
