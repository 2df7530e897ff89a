"""Both directions' targets, losses, samples and settings."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from foretext.backbones.base import States
from foretext.backbones.elmo import Elmo
from foretext.base.errors import SettingError
from foretext.corpus import Corpus
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.data.token_writer import write_tokens
from foretext.language_model import LanguageModel
from foretext.objectives.bidirectional_lm import BidirectionalLM, BidirectionalRows
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

SPECIAL = {"special_tokens": ["[PAD]", "[UNK]", "[SEP]"]}


@pytest.fixture(scope="module")
def tokenizer(animal_text: Path) -> SubwordTokenizer:
    return learn_subwords("word", SPECIAL, Corpus(animal_text))


@pytest.fixture(scope="module")
def tokens(
    animal_text: Path, tokenizer: SubwordTokenizer, tmp_path_factory: pytest.TempPathFactory
) -> TokenFile:
    return write_tokens(Corpus(animal_text), tokenizer, tmp_path_factory.mktemp("tokens")).train


def model_of(tokenizer: SubwordTokenizer, **settings: object) -> tuple[Elmo, BidirectionalLM]:
    torch.manual_seed(0)
    backbone = Elmo(Elmo.Config(dim=16, dropout=0.0), tokenizer.vocab_size)
    backbone.spell(tokenizer.tokens)
    config = BidirectionalLM.Config(row_length=12, **settings)  # type: ignore[arg-type]
    return backbone.eval(), BidirectionalLM(config, backbone, tokenizer).eval()


def test_rows_have_the_next_and_the_previous_word(
    tokens: TokenFile, tokenizer: SubwordTokenizer
) -> None:
    sep = tokenizer.special.required("sep")
    stream = TokenStream(tokens, sep)
    rows = BidirectionalRows(stream, 12)
    rng = np.random.default_rng(0)
    keys = rows.keys(rng)
    batch = rows.batch(keys[:4], rng)
    for place, key in enumerate(keys[:4]):
        text = stream.take(np.arange(key, key + 14))
        assert batch.targets["previous"][place].tolist() == text[:-2].tolist()
        assert batch.inputs.ids[place].tolist() == text[1:-1].tolist()
        assert batch.targets["next"][place].tolist() == text[2:].tolist()
    assert (np.diff(np.sort(keys)) == 12).all()
    assert keys.max() + 14 <= len(stream)


def test_a_text_shorter_than_a_row_is_one_row(tokens: TokenFile) -> None:
    stream = TokenStream(tokens, 2)
    rows = BidirectionalRows(stream, 10**6)
    keys = rows.keys(np.random.default_rng(0))
    assert keys.tolist() == [0]
    assert rows.batch(keys, np.random.default_rng(0)).inputs.ids.shape == (1, len(stream) - 2)


@pytest.mark.parametrize("settings", [{}, {"softmax": "full"}, {"cutoffs": [3, 9]}])
def test_each_direction_is_scored_by_its_half(
    tokens: TokenFile, tokenizer: SubwordTokenizer, settings: dict[str, object]
) -> None:
    backbone, objective = model_of(tokenizer, **settings)
    examples = objective.examples(tokens)
    rng = np.random.default_rng(0)
    batch = examples.batch(examples.keys(rng)[:3], rng)
    with torch.no_grad():
        states = backbone(batch.inputs)
        scores = objective.scores(states, batch)
        for part, half, target in (
            ("forward_lm", states.last[..., :16], "next"),
            ("backward_lm", states.last[..., 16:], "previous"),
        ):
            logits = objective.head(half).flatten(0, 1)
            wanted = F.cross_entropy(logits, batch.targets[target].flatten(), reduction="sum")
            assert scores[part].loss.item() == pytest.approx(wanted.item(), rel=1e-4)
            best = logits.argmax(-1) == batch.targets[target].flatten()
            assert scores[part].num_correct == best.sum()
    counts = objective.counts(batch)
    assert counts == {"forward_lm": 36, "backward_lm": 36}
    assert objective.divisors(counts) == {"forward_lm": 72, "backward_lm": 72}


def test_the_halves_are_not_mixed_up(tokens: TokenFile, tokenizer: SubwordTokenizer) -> None:
    """The loss of a direction does not change with the other half."""
    backbone, objective = model_of(tokenizer)
    examples = objective.examples(tokens)
    rng = np.random.default_rng(0)
    batch = examples.batch(examples.keys(rng)[:2], rng)
    with torch.no_grad():
        last = backbone(batch.inputs).last
        old = objective.scores(States(last), batch)
        other = torch.cat((last[..., :16], torch.randn_like(last[..., 16:])), -1)
        new = objective.scores(States(other), batch)
    assert torch.equal(old["forward_lm"].loss, new["forward_lm"].loss)
    assert not torch.equal(old["backward_lm"].loss, new["backward_lm"].loss)


def test_both_directions_train_one_softmax(tokens: TokenFile, tokenizer: SubwordTokenizer) -> None:
    _, objective = model_of(tokenizer, softmax="full")
    assert [name for name, _ in objective.named_parameters()] == ["head.weight", "head.bias"]


def test_a_sample_predicts_a_word_from_both_sides(tokenizer: SubwordTokenizer) -> None:
    backbone, objective = model_of(tokenizer)
    model = LanguageModel(tokenizer, backbone, objective)
    row = tokenizer.encode("the dog barks in the morning .")
    sample = objective.sample(model, row)
    assert sample is not None
    assert sample["hidden"] == tokenizer.tokens[row[len(row) // 2]]
    assert sample["text"].split()[len(row) // 2] == "___"
    sides = [answer[0].rpartition(", from the ")[2] for answer in sample["answers"]]
    assert sides == ["left", "left", "right", "right"]
    assert all(0 < share < 1 for _, share in sample["answers"])
    changed = [*row]
    changed[len(row) // 2] = tokenizer.special.required("unknown")
    again = objective.sample(model, changed)
    assert again is not None
    assert again["answers"] == sample["answers"], "no direction has seen the hidden word"
    assert objective.sample(model, row[:2]) is None


def test_a_better_model_is_nearer_to_the_entropy(tokenizer: SubwordTokenizer) -> None:
    """Probabilities of all words sum to one in each direction."""
    backbone, objective = model_of(tokenizer)
    states = torch.randn(2, 5, 16)
    total = objective.head(states).float().exp().sum(-1)
    assert torch.allclose(total, torch.ones_like(total), atol=1e-5)
    assert math.isfinite(objective.head(states).sum().item())
    assert backbone.dim == 32


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"softmax": "full", "cutoffs": [4]}, "no effect"),
        ({"softmax": "full", "div_value": 2.0}, "no effect"),
        ({"cutoffs": [9, 3]}, "must increase"),
    ],
)
def test_settings_without_sense_are_refused(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        BidirectionalLM.Config(**settings)  # type: ignore[arg-type]


def test_a_tokenizer_without_a_separator_is_refused(animal_text: Path) -> None:
    bare = learn_subwords("word", {"special_tokens": ["[UNK]"]}, Corpus(animal_text))
    with pytest.raises(SettingError, match="SEP"):
        model_of(bare)


@pytest.mark.slow
def test_it_leaves_the_plateau_of_word_frequencies_in_a_few_steps(
    tokens: TokenFile, tokenizer: SubwordTokenizer
) -> None:
    """Words must differ from each other early: a norm of their features sees to it."""
    backbone, objective = model_of(tokenizer)
    model = torch.nn.ModuleList([backbone, objective]).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    examples, rng = objective.examples(tokens), np.random.default_rng(0)
    keys, losses = examples.keys(rng), []
    for step in range(80):
        batch = examples.batch(keys[np.arange(16 * step, 16 * step + 16) % len(keys)], rng)
        scores = objective.scores(backbone(batch.inputs), batch)
        loss = sum(score.loss for score in scores.values()) / sum(objective.counts(batch).values())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[union-attr]
        optimizer.step()
        losses.append(float(loss.detach()))  # type: ignore[union-attr]
    shares = tokens.counts() / tokens.num_tokens
    entropy = -sum(share * math.log(share) for share in shares if share)
    assert np.mean(losses[-5:]) < 0.7 * entropy


def test_cutoffs_beyond_the_vocabulary_are_left_out_with_a_note(tokens: TokenFile) -> None:
    V = tokens.vocab_size
    config = BidirectionalLM.Config(cutoffs=[2, V])
    kept, note = BidirectionalLM.text_rules.possible(config, [tokens])
    assert kept.cutoffs == [2]
    assert note == f"objective.cutoffs: without {V}, for the vocabulary has {V} tokens"
    assert BidirectionalLM.text_rules.possible(kept, [tokens]) == (kept, None)


@pytest.mark.parametrize(("text", "num_words"), [("word\n", 1), ("two words\n", 2)])
def test_a_text_of_a_word_or_two_is_a_row(text: str, num_words: int, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8")
    tokenizer = learn_subwords("word", {**SPECIAL, "min_count": 1}, Corpus(path))
    tokens = write_tokens(Corpus(path), tokenizer, tmp_path / "tokens").train
    separator = tokenizer.special.required("sep")
    rows = BidirectionalRows(TokenStream(tokens, separator), 24)
    rng = np.random.default_rng(0)
    batch = rows.batch(rows.keys(rng), rng)
    assert len(batch) == 1
    ids = tokens.ids.astype(np.int64).tolist()
    assert len(ids) == num_words
    if num_words == 1:
        assert batch.inputs.ids.tolist() == [ids]
        assert batch.targets["next"].tolist() == batch.targets["previous"].tolist() == [[separator]]
    else:  # the second word has the separator behind it
        assert batch.inputs.ids.tolist() == [ids[1:]]
        assert batch.targets["previous"].tolist() == [ids[:1]]
        assert batch.targets["next"].tolist() == [[separator]]
