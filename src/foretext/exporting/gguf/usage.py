"""How a GGUF file is used, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foretext.exporting.gguf.form import GgufExport

from foretext.messages import ended, message

__all__ = ["gguf_usage"]

OPENED = """```js
import {{ getLlama }} from "node-llama-cpp";

const llama = await getLlama();
const model = await llama.loadModel({{ modelPath: "{folder}/{file}" }});
"""
EMBED = """const context = await model.createEmbeddingContext();
const ids = model.tokenize("a text", true);
const { vector } = await context.getEmbeddingFor(ids);
"""
NORMALIZED = """const length = Math.hypot(...vector);
const embedding = vector.map((value) => value / length);
"""
PLAIN = "const embedding = [...vector];\n"
WRITE = """const sequence = (await model.createContext()).getSequence();
const ids = model.tokenize("a text", true);
const next = [];
for await (const id of sequence.evaluate(ids, { temperature: 0 })) {
  next.push(id);
  if (next.length === 16 || model.isEogToken(id)) break;
}
const text = model.detokenize(next);
"""
SERVED = """llama-server -m {folder}/{file} --embeddings
curl http://localhost:8080/v1/embeddings -d '{{"input": "a text"}}'
"""
COMPLETED = """llama-server -m {folder}/{file}
curl http://localhost:8080/completion -d '{{"prompt": "a text", "n_predict": 16, \
"temperature": 0}}'
"""


def gguf_usage(form: GgufExport, folder: str) -> str:
    """Return how llama.cpp uses a file.

    Args:
        form: of the export.
        folder: its name.
    """
    served = (COMPLETED if form.writes else SERVED).format(folder=folder, file=form.file)
    code = OPENED.format(folder=folder, file=form.file) + (WRITE if form.writes else _embed(form))
    notes = "".join(f"- {note}\n" for note in _notes(form))
    return (
        f"{message('exporting.use.check_title')}\n\n{ended(form.checked_by)}\n\n"
        f"{message('exporting.use.title')}\n\n{notes}\n"
        f"```sh\n{served}```\n\n{message('exporting.use.node')}\n\n{code}```\n"
    )


def _embed(form: GgufExport) -> str:
    return EMBED + (NORMALIZED if form.source.normalize else PLAIN)


def _notes(form: GgufExport) -> list[str]:
    """Return what a user has to know."""
    room, keys = form.framing.room, form.vocabulary.keys
    longer = message("exporting.use.forgets") if form.writes else message("exporting.use.averages")
    notes = [
        message("exporting.use.cut", room=room, longer=longer),
        message("exporting.use.special"),
        *form.causes.notes,
    ]
    if form.vocabulary.model == "bert" and not (
        keys["normalizer.lowercase"] and keys["normalizer.strip_accents"]
    ):
        notes.append(message("exporting.use.accents"))
    if not form.writes:
        notes.append(message("exporting.use.empty"))
        if not form.source.normalize:
            notes.append(message("exporting.use.length"))
    return notes
