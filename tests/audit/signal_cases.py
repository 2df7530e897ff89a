"""What gets signals beside the stages: the other verbs, and commands that are in native code long.

The inputs of the long ones are large enough that one native call takes longer than a signal may.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

__all__ = ["LONG", "VERBS", "write_long_inputs"]

# {in}: the folder of inputs; {out}: what the verb writes; {run KIND}: a finished run. A "~" is a
# blank within an argument.
VERBS = {
    "list": "list",
    "inspect": "inspect {in}/text.txt",
    "clean": "clean {in}/text.txt -o {out} --no-rules",
    "show": "show bert {in}/text.txt",
    "plan": "plan bert {in}/text.txt --budget 2m",
    "compare": "compare {in}/text.txt --task classification "
    "--train {in}/classification-train.tsv -o {out} --budget 40s",
    "evaluate": "evaluate {run classification} {in}/classification-test.tsv",
    "predict": "predict {run classification} {in}/text.txt",
    "suggest": "suggest {run classification} {in}/text.txt -o {out}.csv",
    "report": "report {run word2vec}",
    "neighbors": "neighbors {run word2vec} the",
    "analogy": "analogy {run word2vec} the dog cat",
    "embed": "embed {run word2vec} {in}/text.txt",
    "fill": "fill {run bert} the~[MASK]",
    "generate": "generate {run gpt} the",
    "serve": "serve {run word2vec} --port 0",
    "convert": "convert {run word2vec} {out}.txt",
    "export": "export {run bert} -o {out}",
    "export --page": "export {run word2vec} -o {out} --page",
    "reduce": "reduce {run word2vec} {out}.txt --dim 2",
    "quantize": "quantize {run fasttext~classifier} {out} --cutoff 50",
    "distill": "distill {run bert} -o {out}",
    "extend": "extend {run bert} -o {out} --corpus {in}/text.txt --number 5",
    "align": "align {run word2vec} {run fasttext} {out}.safetensors",
    "drift": "drift {run word2vec} {run fasttext}",
    "demo": "demo -o {out}",
}


def write_long_inputs(folder: Path) -> None:
    """Write what the long commands read."""
    rng = random.Random(0)
    words = [f"w{number}" for number in range(60_000)]
    tags = [f"{place}-K{kind}" for kind in range(60) for place in "BI"] + ["O"]
    sentence = "\n".join(f"{rng.choice(words)} {rng.choice(tags)}" for _ in range(5_452))
    short = "\n".join(f"{rng.choice(words)} O" for _ in range(8))
    (folder / "long.conll").write_text("\n\n".join([sentence] + [short] * 60) + "\n")
    rows = (
        f"t{number % 2_500}\tk{number % 2_500} " + " ".join(rng.choices(words, k=8))
        for number in range(10_000)
    )
    (folder / "labels.tsv").write_text("label\ttext\n" + "\n".join(rows) + "\n")
    lines = (" ".join(rng.choices(words, k=12)) for _ in range(60_000))
    (folder / "words.txt").write_text("\n\n".join(lines) + "\n")


LONG: dict[str, Callable[[Path, Path], list[str]]] = {
    "a long sentence": lambda given, out: [
        "finetune", "tagging", "lstm", str(given / "long.conll"), "-o", str(out),
        "--set", "rows.max_tokens=1000000",
    ],
    "many labels": lambda given, out: [
        "finetune", "classification", "linear", str(given / "labels.tsv"), "-o", str(out),
    ],
    "many labels of fastText": lambda given, out: [
        "finetune", "classification", "fasttext", str(given / "labels.tsv"), "-o", str(out),
        "--set", "classifier.loss=softmax",
    ],
    "a full softmax": lambda given, out: [
        "pretrain", "word2vec", str(given / "words.txt"), "-o", str(out),
        "--set", "vectors.loss=softmax", "--set", "tokenizer.min_count=1",
    ],
    "a large batch": lambda given, out: [
        "pretrain", "bert", str(given / "words.txt"), "-o", str(out),
        "--set", "training.batch_examples=512", "--set", "tokenizer.vocab_size=20000",
    ],
    "a large index": lambda given, out: [
        "index", str(given / "vectors.safetensors"), str(given / "words.txt"), "-o", str(out),
        "--approximate",
    ],
    "a large cleaning": lambda given, out: [
        "clean", str(given / "words.txt"), "-o", str(out), "--no-rules", "--near-duplicates", "0.9",
    ],
    "a large tokenizer": lambda given, out: [
        "tokenizer", str(given / "words.txt"), "-o", str(out), "--vocab-size", "50000",
    ],
    "a large inspection": lambda given, out: ["inspect", str(given / "words.txt")],
}  # fmt: skip
