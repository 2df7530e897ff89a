"""T5, BART and Marian search as `transformers` searches: the same n best, with the same scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from foretext.generation import Decoding, Output, decode
from foretext.interop.hugging_face import load_hugging_face
from foretext.interop.loaded import Loaded
from tests.interop.sequence_folders import rows, their_folder

NUM_NEW = 10
SEARCHES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "greedy, no bigram twice": {"no_repeat_ngram_size": 2},
    "three best": {"num_beams": 4, "num_best": 3},
    "stops when full": {"num_beams": 4, "num_best": 4, "early_stopping": True},
    "never stops early": {"num_beams": 4, "num_best": 2, "early_stopping": "never"},
    "sums of log-probabilities": {"num_beams": 3, "length_penalty": 0.0},
    "long outputs": {"num_beams": 3, "length_penalty": 2.5, "early_stopping": "never"},
    "short outputs": {"num_beams": 3, "length_penalty": -1.0, "num_best": 3},
    "no token twice": {"num_beams": 3, "no_repeat_ngram_size": 1},
    "no trigram twice": {"num_beams": 3, "no_repeat_ngram_size": 3, "num_best": 3},
    "at least eight": {"num_beams": 2, "min_new_tokens": 8, "num_best": 2},
    "exactly four": {"num_beams": 2, "min_new_tokens": 4, "max_new_tokens": 4, "num_best": 2},
}


class Pair(NamedTuple):
    """A model of theirs, and ours with its weights."""

    theirs: Any
    ours: Loaded


def pair(folder: Path, kind: str, head: str, **settings: Any) -> Pair:
    """Make a model of random weights; a token that it likes to write becomes its end token."""
    theirs = their_folder(folder, kind, head, **settings).eval()
    for name, weight in theirs.named_parameters():
        if weight.ndim == 2 and not name.endswith(("shared.weight", "positions.weight")):
            weight.data *= 4.0  # else a head with the weights of the tokens repeats the last one
    theirs.save_pretrained(folder)
    ours = load_hugging_face(folder)
    outputs = found_here(Pair(theirs, ours), Decoding(num_beams=6, num_best=6, max_new_tokens=10))
    places: dict[int, set[int]] = {}  # at which each token comes first
    for output in outputs:
        for token in set(output.ids):
            places.setdefault(token, set()).add(output.ids.index(token))
    end = max(places, key=lambda token: len(places[token]))
    theirs.generation_config.eos_token_id = end
    if theirs.generation_config.forced_eos_token_id is not None:
        theirs.generation_config.forced_eos_token_id = end
    theirs.save_pretrained(folder)
    return Pair(theirs, load_hugging_face(folder))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Pair]:
    def made(name: str, kind: str, head: str, **settings: Any) -> Pair:
        return pair(tmp_path_factory.mktemp(name), kind, head, **settings)

    return {
        "t5": made("t5", "T5", "ForConditionalGeneration"),
        "bart": made("bart", "Bart", "ForConditionalGeneration", forced_bos_token_id=0),
        "marian": made("marian", "Marian", "MTModel"),
    }


def found_there(pair: Pair, decoding: Decoding) -> tuple[list[list[int]], list[float] | None]:
    """Their outputs, without start tokens and what follows an end, and their scores."""
    source, mask, _ = rows(pair.ours.tokenizer.vocab_size)
    asked = {
        "num_beams": decoding.num_beams,
        "num_return_sequences": decoding.num_best,
        "max_new_tokens": decoding.max_new_tokens,
        "min_new_tokens": decoding.min_new_tokens,
        "length_penalty": decoding.length_penalty,
        "early_stopping": decoding.early_stopping,
        "no_repeat_ngram_size": decoding.no_repeat_ngram_size,
    }
    if decoding.num_beams == 1:
        asked = {name: value for name, value in asked.items() if "length_" not in name}
        asked.pop("early_stopping")
    found = pair.theirs.generate(
        input_ids=source,
        attention_mask=mask.long(),
        do_sample=False,
        return_dict_in_generate=True,
        output_scores=True,
        **asked,
    )
    reading, end = pair.ours.objective.reading(()), pair.ours.objective.end
    texts = []
    for ids in found.sequences.tolist():
        text = ids[1 + (reading.first is not None) :]
        texts.append(text[: text.index(end)] if end in text else text)
    scores = found.sequences_scores.tolist() if decoding.num_beams > 1 else None
    return texts, scores


def found_here(pair: Pair, decoding: Decoding) -> list[Output]:
    source, mask, _ = rows(pair.ours.tokenizer.vocab_size)
    objective = pair.ours.objective
    readings = [
        objective.reading(())._replace(source=tuple(row[kept].tolist()))
        for row, kept in zip(source, mask, strict=True)
    ]
    outputs = decode(
        pair.ours.backbone, objective.token_head, readings, decoding, end=objective.end
    )
    return [output for best in outputs for output in best]


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("kind", ["t5", "bart", "marian"])
def test_the_same_outputs_and_scores(pairs: dict[str, Pair], kind: str, search: str) -> None:
    decoding = Decoding(**{"max_new_tokens": NUM_NEW, **SEARCHES[search]})
    theirs, scores = found_there(pairs[kind], decoding)
    ours = found_here(pairs[kind], decoding)
    assert [output.ids for output in ours] == theirs
    if scores is not None:
        assert [output.score for output in ours] == pytest.approx(scores, abs=1e-4)


def test_texts_end_at_several_lengths(pairs: dict[str, Pair]) -> None:
    """Otherwise the tests above would not see when a search stops."""
    outputs = [
        output
        for pair in pairs.values()
        for output in found_here(pair, Decoding(num_beams=6, num_best=6, max_new_tokens=NUM_NEW))
    ]
    assert len({len(output.ids) for output in outputs if output.ended}) >= 3
    assert any(not output.ended for output in outputs)
