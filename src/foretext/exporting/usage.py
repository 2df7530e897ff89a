"""How to use an exported network, as Markdown: code for the programs that open its folder."""

from __future__ import annotations

from foretext.exporting.network import NetworkExport
from foretext.exporting.tags import JAVASCRIPT, decoder_programs
from foretext.messages import message, sentences

__all__ = ["network_usage", "openvino_usage"]

ENCODED = """import numpy as np, {package}, tokenizers

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
encoded = tokenizer.encode({example})
columns = {{"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, \
"token_type_ids": encoded.type_ids}}
"""
GROUPED = """import numpy as np, {package}, tokenizers

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
tokenizer.enable_padding()
encoded = tokenizer.encode_batch({rows})  # a pair has two rows
columns = {{"input_ids": [each.ids for each in encoded], \
"attention_mask": [each.attention_mask for each in encoded], \
"token_type_ids": [each.type_ids for each in encoded]}}
"""
ASKED = """import numpy as np, {package}, tokenizers

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
tokenizer.no_truncation()
question = tokenizer.encode("a question", add_special_tokens=False)
question.truncate({question_room})
passage = tokenizer.encode("a passage", add_special_tokens=False)
passage.truncate({pair_room} - len(question.ids))
encoded = tokenizer.post_process(question, passage)
columns = {{"input_ids": encoded.ids, "attention_mask": encoded.attention_mask, \
"token_type_ids": encoded.type_ids}}
"""
WORDS = """import numpy as np, {package}, tokenizers
from decode import KNOWN, decode, encode, spell  # in {folder}

tokenizer = tokenizers.Tokenizer.from_file("{folder}/tokenizer.json")
words = ["the", "words", "of", "a", "sentence"]
ids, firsts = encode(words, tokenizer)
columns = {{"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids), \
"characters": spell(words, ids)}}
"""
TAGS = """scores = outputs["logits"][0]
tags = [KNOWN["labels"][index] for index in decode(scores.tolist(), firsts)]
"""
JS_POOLINGS = ("mean", "cls")  # of transformers.js, as foretext computes them


def network_usage(form: NetworkExport, folder: str, file: str) -> str:
    """Return how ONNX Runtime uses a file; other programs that do so are named.

    Args:
        form: whose network it is.
        folder: its name.
        file: of the graph, within it.
    """
    feeds = _feeds(form)
    names = list(form.graph.outputs)
    code = (
        _read(form, folder, "onnxruntime")
        + f'session = onnxruntime.InferenceSession("{folder}/{file}")\n'
        + f"outputs = dict(zip({names}, session.run({names}, {feeds})))\n"
    )
    return _page(form, code, _in_javascript(form, folder, file))


def openvino_usage(form: NetworkExport, folder: str, file: str) -> str:
    """Return how OpenVINO uses a file.

    Args:
        form: whose network it is.
        folder: its name.
        file: of the graph, within it.
    """
    code = (
        _read(form, folder, "openvino")
        + f'model = openvino.Core().compile_model("{folder}/{file}", "CPU")\n'
        + f"outputs = {{each.any_name: found for each, found in model({_feeds(form)})"
        + ".items()}\n"
    )
    return _page(form, code, "")


def _page(form: NetworkExport, code: str, more: str) -> str:
    code += TAGS if form.graph.words is not None else ""
    asked = ""
    if form.asks:
        asked = message("exporting.use.question", room=form.graph.facts["question_room"])
    title, said = message("exporting.use.title"), sentences([form.longer, asked])
    return f"{title}\n\n{said}\n\n```python\n{code}```\n\n{more}"


def _read(form: NetworkExport, folder: str, package: str) -> str:
    if form.graph.words is not None:
        return WORDS.format(folder=folder, package=package)
    if form.asks:
        return ASKED.format(folder=folder, package=package, **form.graph.facts)
    if form.graph.network.group > 1:
        rows = repr(form.graph.rows_of(("a text", "another text"))).replace("'", '"')
        return GROUPED.format(folder=folder, package=package, rows=rows)
    example = '"a text"' if form.num_texts == 1 else '"a text", "another text"'
    return ENCODED.format(folder=folder, package=package, example=example)


def _feeds(form: NetworkExport) -> str:
    names = list(form.graph.network.input_names)
    given = "columns[name]" if form.graph.network.group > 1 else "[columns[name]]"
    return f"{{name: np.array({given}) for name in {names}}}"


def _dtype(file: str) -> str:
    return "q8" if "quantized" in file else "fp32"


def _in_javascript(form: NetworkExport, folder: str, file: str) -> str:
    """Return how transformers.js answers as foretext does; "": none of its pipelines does."""
    graph, opened = form.graph, f"'{folder}', {{dtype: '{_dtype(file)}'}}"
    if graph.words is not None:
        if JAVASCRIPT not in decoder_programs(graph):
            return ""
        return message("exporting.use.javascript_tags", opened=opened) + "\n"
    if graph.pipeline == "text-classification" and graph.num_texts == 1:
        code = f"pipeline('text-classification', {opened})"
        return message("exporting.use.javascript", code=code) + "\n"
    pooling, has_more = graph.facts.get("pooling"), graph.facts.get("dense_layers")
    if graph.pipeline == "sentence-similarity" and pooling in JS_POOLINGS and not has_more:
        normalize = str(bool(graph.facts["normalize"])).lower()
        code = f"const embed = await pipeline('feature-extraction', {opened})"
        then = f"await embed(texts, {{pooling: '{pooling}', normalize: {normalize}}})"
        return message("exporting.use.javascript_then", code=code, then=then) + "\n"
    return ""
