"""What a user's type checker makes of the package: types hold outside of it too (PEP 561)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import foretext as ft
from foretext.tasks.predictor import Predictor
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger

model_path = Path("runs/bert")
vectors = ft.Word2Vec(vector_size=100, window=5).fit(["one.txt"], out=Path("runs/mine")).vectors_
assert_type(vectors, ft.WordVectors)
assert_type(vectors["ship"], NDArray[np.float32])
assert_type(vectors[["ship", "tide"]], NDArray[np.float32])
assert_type(vectors.most_similar("ship", topn=3), list[tuple[str, float]])
assert_type(vectors.most_similar(positive=["ship", "tide"])[0], tuple[str, float])
assert_type(vectors.analogy("ship", "wave", "judge"), list[tuple[str, float]])
assert_type(vectors.similarity("ship", "tide"), float)
assert_type(vectors.embed(["the ship in the harbour"]), NDArray[np.float32])
assert_type([word for word in vectors], list[str])
assert_type(vectors.evaluate_word_pairs("pairs.tsv").spearman, float)
vectors.save(Path("vectors.safetensors"), dtype="float16")

opened = ft.WordVectors.load("vectors.txt", limit=10_000)
assert_type(opened.key_to_index, dict[str, int])
more = ft.FastText(minn=2).fit("corpus.txt", base=opened, overwrite=True).vectors_
assert_type(ft.GloVe().fit("corpus.txt"), ft.GloVe)

tokenised = ft.Word2Vec(model="cbow").fit([["a", "ship"], ["a", "tide"]]).vectors_
assert_type(tokenised.transform(["a ship"]), NDArray[np.float32])
assert_type(ft.GloVe().fit(text for text in ["one", "two"]).vectors_, ft.WordVectors)
assert_type(ft.FastText().partial_fit({"text": ["one", "two"]}), ft.FastText)
assert_type(ft.Autoencoder("linear", dim=2).fit(np.zeros((3, 4))), ft.Autoencoder)
assert_type(ft.Phrases().fit([["a", "ship"]])[["a", "ship"]], list[str])

model = ft.pretrain("bert", "corpus.txt", "runs/bert", budget="10m")
if isinstance(model, ft.LanguageModel):
    assert_type(model.embed(["the ship"]), NDArray[np.float32])

anything: Any = ft.load("runs/mine")
assert_type(ft.load("runs/mine", ft.WordVectors), ft.WordVectors)
assert_type(ft.load("model.bin", ft.FastTextClassifier), ft.FastTextClassifier)

topics = ft.finetune("classification", vectors, Path("train.csv"), "runs/topics", valid="valid.csv")
assert_type(topics, TextClassifier)
assert_type(topics.predict_proba(["the ship in the harbour"]), NDArray[np.float64])
assert_type(ft.finetune("classification", "lstm", "train.csv", "runs/lstm"), TextClassifier)
assert_type(ft.finetune("classification", "linear", "train.csv", "runs/l"), ft.LinearClassifier)
fast = ft.finetune("classification", "fasttext", "train.csv", "runs/f", budget="1m", quiet=False)
assert_type(fast, ft.FastTextClassifier)
assert_type(ft.finetune("matching", "runs/bert", "pairs.tsv", "runs/pairs"), TextMatcher)
assert_type(ft.finetune("matching", "auto", "pairs.tsv", "runs/few"), ft.LinearMatcher)
assert_type(ft.finetune("tagging", "linear", "tags.conll", "runs/chain"), ft.LinearTagger)
assert_type(ft.finetune("tagging", topics, "tags.conll", "runs/tags", test="test.conll"), Tagger)
assert_type(ft.finetune("span_qa", model_path, "squad.json", "runs/answers"), SpanReader)
assert_type(ft.finetune(config="recipe.toml", out="runs/again"), Predictor)
assert_type(ft.finetune("my_tasks:Mine", "lstm", "rows.tsv", out="runs/mine"), Predictor)

in_memory = ft.finetune("classification", "linear", (["a ship"], ["sea"]))
assert_type(in_memory, ft.LinearClassifier)
assert_type(ft.finetune("tagging", "lstm", [(["a"], ["O"])], valid=[(["a"], ["O"])]), Tagger)

try:
    ft.load("nowhere")
except ft.ForetextError as error:
    print(error)
"""
WRONG = """\
import foretext as ft

vectors = ft.Word2Vec().fit("corpus.txt").vectors_
vectors.most_similar("ship", topn="three")
vectors.nearest("ship")
ft.pretrain("word2vec")
ft.Word3Vec()
ft.Word2Vec(vector_size="100")
ft.GloVe(vectorsize=100)
ft.Autoencoder("lineal")
ft.finetune("tagging", "lstm", "tags.conll", "runs/tags").most_similar("ship")
ft.load("runs/mine", ft.LanguageModel).most_similar("ship")
"""


def checked(folder: Path, cache: Path, **programs: str) -> list[str]:
    """What ``mypy --strict`` says of programs that stand where nothing else is."""
    for name, text in programs.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    options = ("--strict", "--config-file=", "--no-error-summary", f"--cache-dir={cache}")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(f"{name}.py" for name in programs)],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def cache(pytestconfig: pytest.Config) -> Path:
    """A folder that stays between runs of the tests: the first check of all takes a while."""
    assert pytestconfig.cache is not None
    return pytestconfig.cache.mkdir("mypy")


@pytest.mark.slow
def test_types_reach_a_program_of_a_user(tmp_path: Path, cache: Path) -> None:
    wrong = checked(tmp_path, cache, right=PROGRAM, wrong=WRONG)
    assert [line for line in wrong if not line.startswith("wrong.py:")] == []
    codes = ["[arg-type]", "[attr-defined]", "[call-arg]", "[attr-defined]"]
    codes += ["[arg-type]", "[call-arg]", "[arg-type]", "[attr-defined]", "[attr-defined]"]
    assert [line.split()[-1] for line in wrong if ": error:" in line] == codes, wrong
