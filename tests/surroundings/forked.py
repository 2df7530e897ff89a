"""Uses models of every kind, then again in processes that were forked, spawned or served.

``python -m tests.surroundings.forked fork|spawn|forkserver|copies ...`` prints a line for each kind
that answered as before, by each method. A child that hangs is ended by an alarm.
"""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

LONGEST = 60  # seconds of a child; a hanging one would take for ever


def made() -> dict[str, Any]:
    """Small models of every kind."""
    import foretext as ft
    from foretext.tasks.classification.network import TextClassifier
    from tests.serving.models import TEXTS, made_models
    from tests.text_bodies import labelled_texts, word_body

    folder = Path(tempfile.mkdtemp())
    rows = labelled_texts()
    fast = ft.FastTextClassifier(dim=8, epochs=2, bucket=1000)
    return {
        **made_models(folder),
        "fasttext": fast.fit(TEXTS, ["land", "sea", "sea", "land"]),
        "doc2vec": ft.Doc2Vec(vector_size=8, min_count=1, epochs=2)
        .fit(TEXTS * 9, quiet=True)
        .documents_,
        "textcnn": TextClassifier.begin(
            word_body("textcnn"), TextClassifier.task.head_config(), rows
        ),
    }


def answer(name: str, model: Any) -> Any:
    """Ask a model for much at once, as PyTorch shares it out to threads."""
    from tests.serving.models import TEXTS

    many = TEXTS * 20
    uses: dict[str, Callable[[], Any]] = {
        "causal": lambda: model.generate("the king", 3, temperature=0)[0].text,
        "matcher": lambda: model.predict_proba([(text, TEXTS[0]) for text in many]),
        "reader": lambda: model.predict([("who ?", text) for text in many]),
        "writer": lambda: model.predict(TEXTS),
        "index": lambda: [each.text for each in model.search("the king", 2)],
        "tagger": lambda: np.concatenate(model.predict_proba(many)),
    }
    for each in ("words", "doc2vec", "masked", "sentences"):
        uses[each] = lambda: model.embed(many)
    for each in ("classifier", "linear", "fasttext", "textcnn"):
        uses[each] = lambda: model.predict_proba(many)
    return uses[name]()


def check(models: dict[str, Any], expected: dict[str, Any]) -> None:
    """Say of which models the answers are as expected."""
    for name, model in models.items():
        found = answer(name, model)
        if isinstance(found, np.ndarray):
            np.testing.assert_allclose(found, expected[name], rtol=0.05, atol=0.01)
        else:
            assert found == expected[name], name
        print(name, flush=True)


def in_child(models: dict[str, Any], expected: dict[str, Any]) -> None:
    """Check in a process that is not to live long."""
    signal.alarm(LONGEST)
    check(models, expected)


def main(methods: list[str]) -> None:
    """Use all models here, then by each method."""
    models = made()
    expected = {name: answer(name, model) for name, model in models.items()}
    for method in methods:
        use_again(method, models, expected)


def use_again(method: str, models: dict[str, Any], expected: dict[str, Any]) -> None:
    """Use all models by a method."""
    if method == "fork":
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            check(models, expected)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert "TOKENIZERS_PARALLELISM" not in os.environ
        check(models, expected)  # the parent goes on with its threads
    elif method == "copies":
        check({name: pickle.loads(pickle.dumps(each)) for name, each in models.items()}, expected)
        check({name: copy.deepcopy(each) for name, each in models.items()}, expected)
    else:
        context = multiprocessing.get_context(method)
        process: Any = context.Process(target=in_child, args=(models, expected))  # type: ignore[attr-defined]
        process.start()
        process.join()
        assert process.exitcode == 0


if __name__ == "__main__":
    main(sys.argv[1:])
