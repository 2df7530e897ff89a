"""One learning of byte-level BPE by one of the two programs; figures as JSON.

``python -m benchmarks.subwords_program foretext|tokenizers FILE OUT``
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.harness import peak_megabytes

VOCAB_SIZE = 32_000


def learn_foretext(text: Path, out: Path) -> None:
    from foretext.corpus import Corpus, CorpusConfig
    from foretext.tokenizers.subwords import learn_subwords

    settings = {"vocab_size": VOCAB_SIZE, "min_count": 2, "special_tokens": []}
    corpus = Corpus(text, CorpusConfig(normalization="none"))  # the peer does not normalise
    learn_subwords("bpe", settings, corpus, workers=2).save(out)


def learn_tokenizers(text: Path, out: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCAB_SIZE,
        min_frequency=2,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train([str(text)], trainer)
    tokenizer.save(str(out))


def main() -> None:
    program, text, out = sys.argv[1:]
    began = time.perf_counter()
    learn = {"foretext": learn_foretext, "tokenizers": learn_tokenizers}[program]
    learn(Path(text), Path(out))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    figures = {
        "wall": time.perf_counter() - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": peak_megabytes(),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
