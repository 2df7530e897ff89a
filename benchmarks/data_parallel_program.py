"""One training of word vectors by several processes; figures as JSON.

``python -m benchmarks.data_parallel_program word2vec|fasttext|glove FILE FOLDER SETTINGS``

``per_second`` is of the training alone, from the first record to the last: words, or cells.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def train(kind: str, path: Path, folder: Path, settings: dict[str, Any]) -> dict[str, float]:
    """Train on the ids of the file, which are kept; GloVe's counts are too."""
    from foretext.corpus import Corpus
    from foretext.data.token_file import Tokens
    from foretext.data.token_writer import write_tokens
    from foretext.progress.run_context import RunContext
    from foretext.recipe import Recipe
    from foretext.tokenizers import WordTokenizer
    from foretext.vectors import VECTORS

    kept = folder / f"data-parallel-{path.stem}"
    if not (kept / "tokenizer.json").exists():
        kept.mkdir(exist_ok=True)
        recipe = Recipe.load("word2vec", ["tokenizer.pre_tokenizer=whitespace"])
        corpus = Corpus(path, recipe.corpus)
        tokenizer = WordTokenizer.learn(recipe.tokenizer, corpus)
        write_tokens(corpus, tokenizer, kept / "tokens")
        tokenizer.save(kept / "tokenizer.json")
    tokenizer = WordTokenizer.load(kept / "tokenizer.json")
    component = VECTORS.resolve(kind)
    model = component(
        component.Config(**settings), tokenizer.vocabulary, Tokens.open(kept / "tokens")
    )
    history = model.train(RunContext(kept))
    done = "cells" if kind == "glove" else "words"
    first, last = history[0], history[-1]
    return {"per_second": (last[done] - first[done]) / (last["time"] - first["time"])}


def main() -> None:
    """Parse, train, print."""
    kind, path, folder, settings = sys.argv[1:]
    print(json.dumps(train(kind, Path(path), Path(folder), json.loads(settings))))


if __name__ == "__main__":
    main()
