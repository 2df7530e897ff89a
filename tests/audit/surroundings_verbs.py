"""The verbs that are tried in odd surroundings, and the small inputs that they need."""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

from tests.vectors.texts import TOPICS, write_topics

__all__ = ["READS_TEXT", "VERBS", "WRITES", "arguments", "inputs"]

# {in}: the folder of inputs; {corpus}: text, {rows}: labelled rows; {out}: what the verb writes.
VERBS = {
    "list": "list",
    "inspect": "inspect {corpus}",
    "tokenizer": "tokenizer {corpus} -o {out}",
    "word2vec": "pretrain word2vec {corpus} -o {out} --set vectors.epochs=2 --no-report",
    "bert": "pretrain bert-tiny {corpus} -o {out} --set training.steps=2 "
    "--set tokenizer.vocab_size=200",
    "linear": "finetune classification linear {rows} -o {out} --no-report",
    "neighbors": "neighbors {in}/vectors ship",
    "evaluate": "evaluate {in}/vectors {in}/questions.txt",
    "convert": "convert {in}/vectors {out}.txt",
    "predict": "predict {in}/classifier {corpus}",
    "fill": "fill {in}/bert a~ship~of~the~[MASK]",
}  # a "~" is a blank within an argument
WRITES = ("tokenizer", "word2vec", "bert", "linear", "convert")
READS_TEXT = ("inspect", "tokenizer", "word2vec", "bert", "predict")
NUM_DOCUMENTS = 400

_MADE = {
    "vectors": VERBS["word2vec"],
    "classifier": VERBS["linear"],
    "bert": VERBS["bert"] + " --no-report",
}


@functools.cache
def inputs(folder: Path) -> Path:
    """Write the text, the rows and the questions."""
    folder.mkdir(parents=True, exist_ok=True)
    write_topics(folder / "text.txt", NUM_DOCUMENTS)
    rows = (f"{topic}\t{word} of the {word}" for topic in TOPICS for word in TOPICS[topic] * 4)
    (folder / "rows.tsv").write_text("\n".join(("label\ttext", *rows)) + "\n")
    (folder / "questions.txt").write_text(": topics\nship wave cow barn\n")
    words = ["船", "海", "浪", "田", "牛", "麦", "法官", "律师"]
    lines = (" ".join(words[(i * k) % 8] for k in range(1, 9)) for i in range(NUM_DOCUMENTS))
    (folder / "语料.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


@functools.cache
def arguments(verb: str, folder: Path) -> tuple[str, ...]:
    """Return the arguments of a verb, its models made; ``{corpus}`` and ``{out}`` are left open."""
    inputs(folder)
    template = VERBS[verb]
    for name, how in _MADE.items():
        if f"{{in}}/{name}" in template and not (folder / name).exists():
            corpus, rows = folder / "text.txt", folder / "rows.tsv"
            made = how.format(corpus=corpus, rows=rows, out=folder / name)
            subprocess.run(
                [sys.executable, "-m", "foretext", *made.split()],
                check=True,
                capture_output=True,
            )
    return tuple(part.replace("~", " ").replace("{in}", str(folder)) for part in template.split())
