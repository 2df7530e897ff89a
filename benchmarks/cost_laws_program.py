"""What one stage costs on a text, in processor time; prints its figures as JSON.

A stage runs as a user types it or, where a verb does several stages at once, as the verb calls it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["STAGES"]

VOCABULARY = 32_000
ROWS, WARM, STEPS = 8, 1, 2  # of the network


def main() -> None:
    stage, path = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        units = STAGES[stage](path, Path(folder))
    print(json.dumps(units))


def reading(path: Path, folder: Path) -> dict[str, float]:
    """Decode the text and cut it into documents, as the one process does that cuts shards."""
    from foretext.cleaning.documents import shards
    from foretext.corpus import Corpus

    began = time.process_time()
    documents = sum(len(shard.documents) for shard in shards(Corpus(path), 4_000_000))
    return {"cpu": time.process_time() - began, "documents": documents}


def inspecting(path: Path, folder: Path) -> dict[str, float]:
    """`foretext inspect`."""
    return verb("inspect", path, "--json")


def examining(path: Path, folder: Path) -> dict[str, float]:
    """`foretext clean` without duplicates: normal forms, rules, languages, writing."""
    return verb("clean", path, "-o", folder / "clean", "--workers", 1, "--duplicates", "kept")


def counting_words(path: Path, folder: Path) -> dict[str, float]:
    """The vocabulary of word vectors."""
    from foretext.corpus import Corpus
    from foretext.recipe import Recipe
    from foretext.tokenizers import WordTokenizer

    recipe = Recipe.load("word2vec")
    began = time.process_time()
    WordTokenizer.learn(recipe.tokenizer, Corpus(path, recipe.corpus))
    return {"cpu": time.process_time() - began}


def learning_subwords(path: Path, folder: Path) -> dict[str, float]:
    """A WordPiece vocabulary: counts of words, then merges, which cost the same for any text."""
    from foretext.corpus import Corpus
    from foretext.tokenizers.subwords import learn_subwords

    began = time.process_time()
    learn_subwords("wordpiece", {"vocab_size": VOCABULARY}, Corpus(path))
    return {"cpu": time.process_time() - began}


def encoding(path: Path, folder: Path) -> dict[str, float]:
    """The ids of a WordPiece vocabulary."""
    from foretext.corpus import Corpus
    from foretext.data import write_tokens
    from foretext.tokenizers.subwords import learn_subwords

    corpus = Corpus(path)
    subwords = learn_subwords("wordpiece", {"vocab_size": VOCABULARY}, corpus)
    began = time.process_time()
    ids = write_tokens(corpus, subwords, folder / "ids")
    return {"cpu": time.process_time() - began, "tokens": ids.train.num_tokens}


def skipgram(path: Path, folder: Path) -> dict[str, float]:
    """An epoch of word2vec: skip-gram, five negatives, 300 dimensions."""
    from foretext.corpus import Corpus
    from foretext.data import write_tokens
    from foretext.progress.run_context import RunContext
    from foretext.recipe import Recipe
    from foretext.tokenizers import WordTokenizer
    from foretext.vectors import VECTORS

    recipe = Recipe.load("word2vec").with_settings("vectors", vector_size=300, epochs=1)
    corpus = Corpus(path, recipe.corpus)
    tokenizer = WordTokenizer.learn(recipe.tokenizer, corpus)
    ids = write_tokens(corpus, tokenizer, folder / "ids")
    component = VECTORS.resolve(recipe.name)(recipe.vectors, tokenizer.vocabulary, ids)
    began = time.process_time()
    component.train(RunContext(folder))
    return {"cpu": time.process_time() - began, "tokens": ids.train.num_tokens}


def masked_base(path: Path, folder: Path) -> dict[str, float]:
    """Steps of a BERT of base size, 1,024 tokens each."""
    from benchmarks import pretraining_program as program

    program.LAYERS, program.DIM, program.HEADS = 12, 768, 12
    program.ROWS, program.WARM, program.STEPS = ROWS, WARM, STEPS
    cpu = program.ours("masked", 1, clock=time.process_time)
    return {"cpu": cpu, "tokens": STEPS * ROWS * program.LENGTH}


def verb(*arguments: object) -> dict[str, float]:
    """Run a verb in a process of its own."""
    command = [sys.executable, "-m", "foretext", *map(str, arguments), "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


STAGES: dict[str, Callable[[Path, Path], dict[str, float]]] = {
    "read": reading,
    "inspect": inspecting,
    "examine": examining,
    "words": counting_words,
    "subwords": learning_subwords,
    "ids": encoding,
    "word2vec": skipgram,
    "bert-base": masked_base,
}

if __name__ == "__main__":
    main()
