"""All sources decoded with a beam by one of three libraries; figures as JSON.

``python -m benchmarks.decoding_program foretext|transformers|ctranslate2 PRECISION PAIR``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.decoding_model import (
    BATCH,
    BEGIN,
    END,
    MOST_NEW,
    NUM_BEAMS,
    PAD,
    VOCAB,
    model_folder,
    sources,
)
from benchmarks.harness import work_folder

Outputs = list[list[int]]
Decode = Callable[[Outputs], Outputs]


def main() -> None:
    program, precision = sys.argv[1:3]
    decode = {"foretext": foretext_of, "transformers": peer_of, "ctranslate2": engine_of}[program]
    run, texts = decode(precision), sources()
    run(texts[:BATCH])
    wall, cpu = time.perf_counter(), time.process_time()
    outputs = run(texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    figures = {"wall": wall, "cpu": cpu, "per_second": len(texts) / cpu, "outputs": outputs}
    print(json.dumps(figures))


def foretext_of(precision: str) -> Decode:
    import torch

    from foretext.generation import Decoding, decode
    from foretext.interop.hugging_face import load_hugging_face
    from foretext.objectives.reading import Reading

    loaded = load_hugging_face(model_folder())
    assert loaded.objective is not None
    head = loaded.objective.token_head
    assert head is not None
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    backbone, head = loaded.backbone.eval().to(dtype), head.to(dtype)
    settings = Decoding(num_beams=NUM_BEAMS, max_new_tokens=MOST_NEW, batch_texts=BATCH)

    def run(texts: Outputs) -> Outputs:
        readings = [Reading((END,), source=tuple(text), first=BEGIN) for text in texts]
        return [best.ids for best, *_ in decode(backbone, head, readings, settings, end=END)]

    return run


def peer_of(precision: str) -> Decode:
    import torch
    from transformers import BartForConditionalGeneration

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    model = BartForConditionalGeneration.from_pretrained(model_folder(), dtype=dtype).eval()
    settings: dict[str, Any] = {
        "num_beams": NUM_BEAMS,
        "max_new_tokens": MOST_NEW,
        "forced_bos_token_id": BEGIN,
    }

    @torch.inference_mode()
    def run(texts: Outputs) -> Outputs:
        found: Outputs = [[] for _ in texts]
        order = sorted(range(len(texts)), key=lambda text: len(texts[text]), reverse=True)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = [torch.tensor(texts[text]) for text in batch]
            ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
            answers = model.generate(ids, attention_mask=(ids != PAD).long(), **settings)
            for text, answer in zip(batch, answers[:, 2:].tolist(), strict=True):
                found[text] = answer[: answer.index(END)] if END in answer else answer
        return found

    return run


def engine_of(precision: str) -> Decode:
    import ctranslate2

    folder = work_folder() / "bart-6x512-ctranslate2"
    if not folder.exists():
        _convert(str(folder))
    engine = ctranslate2.Translator(str(folder), compute_type=precision, intra_threads=1)

    def run(texts: Outputs) -> Outputs:
        answers = engine.translate_batch(
            [[str(token) for token in text] for text in texts],
            target_prefix=[[str(BEGIN)]] * len(texts),
            beam_size=NUM_BEAMS,
            max_decoding_length=MOST_NEW,
            max_batch_size=BATCH,
        )
        return [[int(token) for token in answer.hypotheses[0][1:]] for answer in answers]

    return run


class _Numbers:
    """A tokenizer whose tokens are the numbers of their ids."""

    bos_token, eos_token, unk_token, pad_token = str(BEGIN), str(END), str(PAD), str(PAD)

    def get_vocab(self) -> dict[str, int]:
        return {str(number): number for number in range(VOCAB)}

    def convert_ids_to_tokens(self, number: int) -> str:
        return str(number)


def _convert(folder: str) -> None:
    from ctranslate2.converters.transformers import BartLoader
    from transformers import BartForConditionalGeneration

    model = BartForConditionalGeneration.from_pretrained(model_folder()).eval()
    model.config.normalize_before, model.config.normalize_embedding = False, True
    spec = BartLoader()(model, _Numbers())
    spec.validate()
    spec.optimize()
    Path(folder).mkdir()
    spec.save(folder)


if __name__ == "__main__":
    main()
