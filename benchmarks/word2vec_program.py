"""One training of word2vec by one of the two programs; figures as JSON.

``python -m benchmarks.word2vec_program foretext|gensim|gensim-lines FILE OUT SETTINGS``
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.harness import peak_megabytes


def cpu_seconds() -> float:
    """User and system time of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def train_foretext(path: Path, out: Path, settings: dict[str, Any]) -> dict[str, float]:
    """The estimator does all; the training's own share is taken from around its loop."""
    import foretext as ft
    from foretext.vectors.hogwild import Hogwild

    spent: dict[str, float] = {}
    run = Hogwild.run

    def measured(self: Hogwild) -> Any:
        cpu, wall = cpu_seconds(), time.perf_counter()
        state = run(self)
        spent["train_cpu"] = cpu_seconds() - cpu
        spent["train_wall"] = time.perf_counter() - wall
        return state

    Hogwild.run = measured  # type: ignore[method-assign]
    began = time.perf_counter()
    vectors = ft.Word2Vec(**settings, pre_tokenizer="whitespace", valid_rate=0.0).fit(path).vectors_
    vectors.save(out)
    return spent | {"total_wall": time.perf_counter() - began}


def train_gensim(
    path: Path, out: Path, settings: dict[str, Any], *, lines: bool
) -> dict[str, float]:
    """Default: an iterable of lines; best documented: ``corpus_file``."""
    from gensim.models import Word2Vec
    from gensim.models.word2vec import LineSentence

    given = dict(settings)
    given["sg"] = int(given.pop("model") == "skipgram")
    if given.pop("loss") == "hs":
        given |= {"hs": 1, "negative": 0}
    text = {"corpus_iterable": LineSentence(str(path))} if lines else {"corpus_file": str(path)}
    began = time.perf_counter()
    model = Word2Vec(**given)
    model.build_vocab(**text)
    cpu, wall = cpu_seconds(), time.perf_counter()
    model.train(
        **text,
        total_examples=model.corpus_count,
        total_words=model.corpus_total_words,
        epochs=model.epochs,
    )
    spent = {"train_cpu": cpu_seconds() - cpu, "train_wall": time.perf_counter() - wall}
    model.wv.save_word2vec_format(str(out), binary=True)
    return spent | {"total_wall": time.perf_counter() - began}


def main() -> None:
    """Parse, train, print."""
    program, path, out, settings = sys.argv[1:]
    given = json.loads(settings)
    if program == "foretext":
        figures = train_foretext(Path(path), Path(out), given)
    else:
        figures = train_gensim(Path(path), Path(out), given, lines=program == "gensim-lines")
    figures["peak_mb"] = peak_megabytes()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
