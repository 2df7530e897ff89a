"""One text written on by one of the two libraries; figures as JSON.

``python -m benchmarks.generation_program foretext|peer auto|fp32|bf16 PAIR``
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.language_models import model_folder, sentences

NUM_PROMPT, NUM_NEW = 16, 200
Write = Callable[[int], list[int]]


def main() -> None:
    program, precision = sys.argv[1:3]
    write = {"foretext": foretext_of, "peer": peer_of}[program](precision)
    write(8)
    began = time.perf_counter()
    ids = write(NUM_NEW)
    wall = time.perf_counter() - began
    assert len(ids) == NUM_NEW, f"{len(ids)} tokens: the end token came, which has no place here"
    print(json.dumps({"wall": wall, "per_second": NUM_NEW / wall, "ids": ids}))


def foretext_of(precision: Any) -> Write:
    from foretext.language_model import LanguageModel

    model = LanguageModel.load(model_folder("gpt"), precision=precision)
    prompt = model.tokenizer.decode(prompt_ids(model.tokenizer))
    return lambda num: model.generate(prompt, num, temperature=0)[0].ids


def peer_of(precision: str) -> Write:
    import torch
    from transformers import AutoModelForCausalLM

    from foretext.tokenizers.hf_files import load_hf_tokenizer

    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
    model = AutoModelForCausalLM.from_pretrained(model_folder("gpt"), dtype=dtype).eval()
    ids = torch.tensor([prompt_ids(load_hf_tokenizer(model_folder("gpt")))])
    settings: dict[str, Any] = {
        "attention_mask": torch.ones_like(ids),
        "do_sample": False,
        "eos_token_id": None,
        "pad_token_id": 0,
    }
    return lambda num: model.generate(ids, max_new_tokens=num, **settings)[0, NUM_PROMPT:].tolist()


def prompt_ids(tokenizer: Any) -> list[int]:
    """The first tokens of a sentence; they decode to text that gives them again."""
    ids: list[int] = tokenizer.encode(" ".join(sentences(4)))[:NUM_PROMPT]
    return ids


if __name__ == "__main__":
    main()
