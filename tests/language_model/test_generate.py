from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from foretext.base.errors import CorpusError, SettingError
from foretext.language_model import LanguageModel, NewToken
from foretext.language_model.continuation import Writer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.language_model.models import (
    MAX_LENGTH,
    SENTENCES,
    bert,
    gpt,
    learned_tokenizer,
    lstm,
    unilm,
)
from tests.sequence_networks import in_use


def test_a_seed_is_a_text() -> None:
    model = gpt()
    (first,) = model.generate("the king", 12)
    (again,) = model.generate("the king", 12)
    (other,) = model.generate("the king", 12, seed=1)
    assert first == again
    assert first.text != other.text
    assert str(first) == "the king" + first.text
    assert len(first.ids) == 12
    assert first.ended_by == "length"


def test_samples_differ_and_each_is_whole() -> None:
    samples = gpt().generate("the king", 10, num_samples=3)
    assert len({sample.text for sample in samples}) == 3
    for sample in samples:
        assert sample.ended_by == "end" or len(sample.ids) == 10


def test_a_stream_gives_the_text_piece_by_piece() -> None:
    pieces: list[str] = []
    (whole,) = gpt().generate("the king", 40, temperature=1.5, stream=pieces.append)
    assert "".join(pieces) == whole.text
    assert len(pieces) > 10


def test_a_stop_ends_the_text_before_it() -> None:
    model = gpt()
    (whole,) = model.generate("the king", 40, temperature=1.5)
    stop = whole.text[20:23]
    pieces: list[str] = []
    (cut,) = model.generate("the king", 40, temperature=1.5, stop=stop, stream=pieces.append)
    assert cut.text == whole.text[: whole.text.index(stop)] == "".join(pieces)
    assert cut.ended_by == "stop"
    assert cut.ids == whole.ids[: len(cut.ids)]


def test_the_end_token_ends_a_text_and_is_not_in_it() -> None:
    model = gpt()
    ended = [s for seed in range(40) for s in model.generate("the", 30, 2.0, seed=seed)]
    ended = [sample for sample in ended if sample.ended_by == "end"]
    assert ended
    for sample in ended:
        assert sample.ids[-1] == model.tokenizer.special.end
        assert "<|endoftext|>" not in sample.text


def written(tokenizer: SubwordTokenizer, text: str, context: str, stop: list[str]) -> list[str]:
    """The pieces in which a text comes when its tokens come one by one."""
    pieces: list[str] = []
    ids = tokenizer.encode(context + text)
    split = len(tokenizer.encode(context))
    writer = Writer(tokenizer, ids[:split], [-1], stop, pieces.append)
    for token in ids[split:]:
        if writer.take(token):
            break
    assert writer.finish() == "".join(pieces)
    return pieces


def test_letters_of_several_bytes_come_whole() -> None:
    pieces = written(learned_tokenizer("bpe"), " naïve 東京 the sea", "the king", [])
    assert "".join(pieces) == " naïve 東京 the sea"
    assert "東" in pieces
    assert not any("\ufffd" in piece for piece in pieces)


def test_words_of_a_wordpiece_model_keep_their_blanks() -> None:
    pieces = written(learned_tokenizer("wordpiece"), "and the queen", "the king ", [])
    assert "".join(pieces) == " and the queen"


def test_what_may_become_a_stop_is_held_back() -> None:
    tokenizer = learned_tokenizer("bpe")
    assert "".join(written(tokenizer, " of the sea by the ship", "", ["sea by"])) == " of the "
    pieces = written(tokenizer, " of the sea and", "", ["sea by", "xy"])
    assert "".join(pieces) == " of the sea and"
    assert not any(piece.endswith("sea") for piece in pieces[:-1])


def test_a_long_prompt_is_read_from_behind() -> None:
    model = gpt()
    prompt = " ".join(SENTENCES)
    num_tokens = len(model.tokenizer.encode(prompt))
    assert num_tokens > MAX_LENGTH
    (told,) = model.generate(prompt, 4, temperature=0)
    assert told.num_forgotten == num_tokens - (MAX_LENGTH - 4)
    (long,) = model.generate(prompt, 100, temperature=0)
    assert long.num_forgotten == num_tokens - MAX_LENGTH // 2
    assert len(long.ids) == 100 or long.ended_by == "end"


@pytest.mark.parametrize(
    ("model", "source"),
    [(gpt, None), (unilm, None), (unilm, "the king")],
    ids=["gpt", "unilm", "unilm-source"],
)
def test_a_text_uses_no_more_positions_than_the_rows_of_the_training(
    model: Callable[..., LanguageModel], source: str | None
) -> None:
    """Rotary positions behind them have angles that no training has seen."""
    prompt, length = " ".join(SENTENCES[:2]), MAX_LENGTH // 2
    asked = {"source": source, "temperature": 0, "max_new_tokens": 40}
    long = model(positions="rotary", row_length=length).generate(prompt, **asked)
    short = model(positions="rotary", max_length=length).generate(prompt, **asked)
    assert long == short
    assert long[0].num_forgotten > 0
    assert long != model(positions="rotary").generate(prompt, **asked)


def test_a_recurrent_network_reads_on_behind_the_rows_of_its_training() -> None:
    """It has no positions, and its state goes on."""
    asked = {"temperature": 0, "max_new_tokens": 20}
    assert lstm(row_length=4).generate("the king", **asked) == lstm().generate("the king", **asked)


def test_an_empty_prompt_begins_a_text() -> None:
    model = gpt()
    (begun,) = model.generate("", 5, temperature=0)
    (same,) = model.generate("<|endoftext|>", 5, temperature=0)
    assert begun.ids == same.ids


def test_errors_are_sentences() -> None:
    model = gpt()
    with pytest.raises(
        SettingError, match=r"generate needs a causal model \(GPT\); this one is masked: use fill"
    ):
        bert().generate("the king")
    with pytest.raises(SettingError, match="this one has no head: use embed"):
        LanguageModel(model.tokenizer, model.backbone, None, device="cpu").generate("the king")
    for settings, complaint in (
        ({"temperature": 0, "num_samples": 2}, "all samples would be the same"),
        ({"temperature": 0, "top_k": 2}, r"\[generation\] top_k and top_p would have no effect"),
        ({"num_samples": 2, "stream": print}, "several would mix"),
        ({"num_samples": 0}, "num_samples = 0, max_new_tokens = 50, num_beams = 1: take 1 or more"),
        ({"stop": ""}, "an empty text would stop at once"),
        ({"top_p": 1.5}, r"\[generation\] top_p = 1.5: should be less than or equal to 1"),
    ):
        with pytest.raises(SettingError, match=complaint):
            model.generate("the king", **settings)  # type: ignore[arg-type]


def test_without_a_token_to_begin_with_a_prompt_is_needed() -> None:
    model = gpt()
    library = learned_tokenizer("bpe").library
    text = library.to_str().replace("<|endoftext|>", "<|finis|>")
    model.tokenizer = SubwordTokenizer(type(library).from_str(text))
    with pytest.raises(CorpusError, match="The prompt is empty"):
        model.generate("")


def test_a_text_depends_on_its_source() -> None:
    model = unilm()
    texts = {
        model.generate(source=source, temperature=0, max_new_tokens=8)[0].text
        for source in SENTENCES
    }
    assert len(texts) > 1


def test_an_empty_prompt_begins_after_the_source() -> None:
    (written,) = unilm().generate(source="the king", max_new_tokens=5)
    assert written.prompt == ""
    assert len(written.ids) == 5 or written.ended_by == "end"


def test_a_source_is_refused_by_a_model_that_learned_of_none() -> None:
    with pytest.raises(
        SettingError, match=r"write after a source \(UniLM, T5, BART\); this one is causal"
    ):
        gpt().generate("the king", source="the queen")


def test_a_source_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(CorpusError, match=rf"the model has learned {MAX_LENGTH} positions"):
        unilm().generate(source=" ".join(SENTENCES))
    with pytest.raises(CorpusError, match="the model has learned 8 positions for it and the new"):
        unilm(row_length=8).generate(source=" ".join(SENTENCES[:2]))


def test_a_prompt_that_does_not_fit_beside_the_source_loses_its_beginning() -> None:
    prompt, source = " ".join(SENTENCES[:3]), "the king"
    (written,) = unilm().generate(prompt, source=source, max_new_tokens=4)
    model = unilm()
    room = MAX_LENGTH - len(model.tokenizer.encode(source)) - 3  # [CLS], [SEP], [MASK]
    assert written.num_forgotten == len(model.tokenizer.encode(prompt)) - (room - 4)


def test_beams_find_likelier_texts_the_likeliest_first() -> None:
    model = gpt(seed=2)
    (greedy,) = model.generate("the king", 8, temperature=0)
    found = model.generate("the king", 8, num_beams=6, num_samples=3)
    scores = [sample.score for sample in found]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert len({sample.text for sample in found}) == 3
    (alone,) = model.generate("the king", 8, num_beams=6)
    assert alone == found[0]
    assert greedy.score is None
    assert all(str(sample).startswith("the king") for sample in found)


def test_beams_and_drawing_exclude_each_other() -> None:
    model = gpt()
    with pytest.raises(SettingError, match="num_beams = 4 searches for the likeliest texts"):
        model.generate("the king", num_beams=4, temperature=0.5)
    with pytest.raises(SettingError, match="take num_samples = 2 or fewer"):
        model.generate("the king", num_beams=2, num_samples=3)


@pytest.fixture(scope="module", params=["span_corruption", "text_infilling"])
def with_encoder(request: pytest.FixtureRequest, animal_text: Path) -> LanguageModel:
    """A T5, and a BART."""
    model = in_use(request.param, animal_text)
    with torch.no_grad():
        for name, weight in model.backbone.named_parameters():
            if "cross.attention" in name:
                weight *= 6.0  # so that a text depends on its source
    return model


@pytest.mark.parametrize("num_beams", [1, 3])
def test_a_model_with_an_encoder_writes_after_a_source(
    with_encoder: LanguageModel, num_beams: int
) -> None:
    settings = {"max_new_tokens": 6, "num_beams": num_beams, "temperature": 0}
    texts = [
        with_encoder.generate(source=source, **settings)[0].text
        for source in ("the dog barks", "a cat sleeps in the house")
    ]
    assert len(set(texts)) == 2
    (begun,) = with_encoder.generate("the dog", source="a cat sleeps", **settings)
    assert begun.prompt == "the dog"
    assert not {*begun.ids} & {*with_encoder.objective.reading(()).never}


def test_a_model_with_an_encoder_needs_a_source(with_encoder: LanguageModel) -> None:
    with pytest.raises(SettingError, match="generate needs a source: a model of"):
        with_encoder.generate("the dog")
    with pytest.raises(CorpusError, match="the model has 64 positions; shorten"):
        with_encoder.generate(source="the dog barks " * 30)


def test_samples_after_a_source_keep_the_rules_of_the_model(with_encoder: LanguageModel) -> None:
    drawn = with_encoder.generate(source="the dog barks", num_samples=12, max_new_tokens=6, seed=1)
    assert len({tuple(sample.ids) for sample in drawn}) > 1
    reading = with_encoder.objective.reading(())
    for sample in drawn:
        assert reading.first in (None, sample.ids[0])
        assert not {*sample.ids} & {*reading.never}


def test_ids_are_continued_as_their_text() -> None:
    model = gpt()
    (expected,) = model.generate("the king", 12)
    ids = model.prompt_ids("the king")
    assert ids == model.tokenizer.encode("the king")
    (found,) = model.generate(ids, 12)
    assert found == expected
    assert found.prompt == "the king"


def test_an_empty_prompt_has_the_token_that_a_text_begins_with() -> None:
    model = gpt()
    start = model.tokenizer.special.start
    assert model.prompt_ids("") == model.prompt_ids([]) == [start]
    assert model.generate([], 5)[0].ids == model.generate("", 5)[0].ids


def test_ids_of_another_tokenizer_are_no_prompt() -> None:
    with pytest.raises(CorpusError, match="The id 99,999 is not one of the model's tokenizer"):
        gpt().generate([1, 99_999], 5)


def test_a_source_may_be_ids() -> None:
    model = unilm()
    source = model.tokenizer.encode(SENTENCES[0])
    (expected,) = model.generate("a ship", 5, source=SENTENCES[0])
    (found,) = model.generate("a ship", 5, source=source)
    assert found == expected


def test_tokens_are_reported_with_what_the_model_expected() -> None:
    model = gpt()
    model = LanguageModel(model.tokenizer, model.backbone, model.objective, precision="fp32")
    seen: list[NewToken] = []
    samples = model.generate("the king", 8, num_samples=2, seed=3, watch=seen.append, topn=2)
    assert samples == model.generate("the king", 8, num_samples=2, seed=3)
    prompt = model.prompt_ids("the king")
    for number, sample in enumerate(samples):
        own = [token for token in seen if token.sample == number]
        assert [token.id for token in own] == sample.ids
        certain = "".join(token.text for token in own)
        assert sample.text.startswith(certain)
        (scores,) = model.token_scores([[*prompt, *sample.ids]], topn=2)
        expected = scores.log_probs[len(prompt) - 1 :]
        assert [token.log_prob for token in own] == pytest.approx(expected, rel=1e-4)
        for token, likeliest in zip(own, scores.likeliest[len(prompt) - 1 :], strict=False):
            assert [other for other, _ in token.likeliest] == [other for other, _ in likeliest]
    assert any(token.text for token in seen)


def test_no_log_probabilities_are_computed_unasked() -> None:
    seen: list[NewToken] = []
    gpt().generate("the king", 4, watch=seen.append)
    assert len(seen) == 4
    assert all(token.log_prob is None and token.likeliest == () for token in seen)


def test_what_watches_may_end_the_writing() -> None:
    seen: list[NewToken] = []

    def leave(token: NewToken) -> None:
        seen.append(token)
        if len(seen) == 3:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        gpt().generate("the king", 40, watch=leave)
    assert len(seen) == 3


def test_settings_of_watching_without_effect_are_refused() -> None:
    with pytest.raises(SettingError, match="topn = 2 has no effect without watch"):
        gpt().generate("the king", 5, topn=2)
    with pytest.raises(SettingError, match="no token to watch"):
        gpt().generate("the king", 5, num_beams=2, watch=print)
