from __future__ import annotations

import numpy as np
import pytest
import torch

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import CorpusError, SettingError
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel
from foretext.messages import in_language
from foretext.shown import Note, Shown, Table
from tests.language_model.models import SENTENCES, bert, electra, gpt


def test_layers_begin_with_embeddings_and_end_with_what_embed_pools() -> None:
    for model, tokens in (
        (bert(), ["[CLS]", "the", "king", "[SEP]"]),
        (gpt(), ["the", "Ġking"]),
    ):
        found = model.layers("the king")
        assert found.tokens == tokens
        assert found.states.shape == (3, len(tokens), 16)
        np.testing.assert_allclose(
            found.states[-1].mean(0), model.embed(["the king"])[0], atol=0.05, rtol=0.05
        )
        np.testing.assert_allclose(
            found.states[0].mean(0), model.embed(["the king"], layer=0)[0], atol=0.05, rtol=0.05
        )


def test_one_word_has_other_states_in_other_texts() -> None:
    """A text of six tokens and a pair of ten: one vector a word before the layers, two behind."""
    model = bert()
    alone = model.layers("the king and queen")
    pair = model.layers("the king the queen", "the queen and")
    assert alone.states[-1][None].shape == (1, 6, 16)
    assert pair.states[-1][None].shape == (1, 10, 16)
    at = alone.tokens.index("king")
    assert pair.tokens[at] == "king"
    np.testing.assert_array_equal(alone.states[0, at], pair.states[0, at])
    assert np.abs(alone.states[-1, at] - pair.states[-1, at]).max() > 0.01


def test_layers_of_another_width_are_left_out() -> None:
    """Word vectors of 5 numbers, states of 4, and [h; c] of 8 in the last layer."""
    tokenizer = gpt().tokenizer
    shape = {"vector_size": 5, "dim": 4, "num_layers": 2, "bidirectional": False}
    for attention, widths in (("none", (2, 2, 4)), ("dot", (1, 2, 8))):
        config = Recurrent.Config.checked({**shape, "attention": attention}, "backbone")
        backbone = Recurrent(config, tokenizer.vocab_size)
        model = LanguageModel(tokenizer, backbone, None, device="cpu", visibility="causal")
        assert model.layers("the king").states.shape == widths
        assert ("attention" in model.abilities) == (attention == "dot")


def test_attention_maps_are_shares_and_causal_ones_look_back() -> None:
    for model, causal in ((bert(), False), (gpt(), True)):
        maps = model.attention_maps("the king and the queen").weights
        assert maps.shape[:2] == (2, 2)
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-5)
        assert (np.triu(maps, 1) == 0).all() == causal


def test_errors_are_sentences() -> None:
    for look in (bert().layers, gpt().attention_maps):
        with pytest.raises(CorpusError, match="The text is empty"):
            look("")
        with pytest.raises(CorpusError, match=r"and the model sees 3\d at once; look at a shorter"):
            look(" ".join(SENTENCES))


def test_a_pair_is_one_row_with_segments() -> None:
    """(1, T, D) of [CLS] a [SEP] b [SEP], as the backbone reads it; `embed` takes its mean."""
    model = bert()
    found = model.layers("the king", "the queen")
    assert found.tokens == ["[CLS]", "the", "king", "[SEP]", "the", "queen", "[SEP]"]
    ids = torch.tensor([[model.tokenizer.tokens.index(token) for token in found.tokens]])
    segments = torch.tensor([[0, 0, 0, 0, 1, 1, 1]])
    with torch.inference_mode():
        states = model.backbone.eval()(Inputs(ids, segments=segments)).last
    np.testing.assert_allclose(found.states[-1], states[0].numpy(), atol=1e-5)
    (vector,) = model.embed(["the king"], seconds=["the queen"])
    np.testing.assert_allclose(vector, states[0].mean(0).numpy(), atol=0.05, rtol=0.05)
    assert model.attention_maps("the king", "the queen").weights.shape[-2:] == (7, 7)


def test_pairs_do_not_depend_on_the_others() -> None:
    model = bert()
    firsts, seconds = ["the king", "a ship sails"], ["the queen of the island", "the sea"]
    together = model.embed(firsts, seconds=seconds)
    alone = np.concatenate(
        [model.embed([a], seconds=[b]) for a, b in zip(firsts, seconds, strict=True)]
    )
    np.testing.assert_allclose(together, alone, atol=0.05, rtol=0.05)
    assert model.embed([], seconds=[]).shape == (0, 16)


def test_a_causal_model_reads_the_end_token_between_two_texts() -> None:
    assert gpt().layers("the", "king").tokens[1] == "<|endoftext|>"


def test_one_word_in_two_sentences_has_two_vectors() -> None:
    model = bert()
    for first, second in (
        (model.layers("a king lives"), model.layers("the king sails")),
        (model.layers("the king", "the queen"), model.layers("the king", "the ship")),
    ):
        place = first.tokens.index("king")
        assert second.tokens[place] == "king"
        np.testing.assert_allclose(first.states[0][place], second.states[0][place])
        assert not np.allclose(first.states[-1][place], second.states[-1][place], atol=1e-3)


def test_pairs_that_cannot_be_read_are_refused() -> None:
    model = bert()
    with pytest.raises(SettingError, match="There are 2 texts and 1 seconds"):
        model.embed(["a", "b"], seconds=["c"])
    with pytest.raises(SettingError, match="overlap has no effect on pairs"):
        model.embed(["a"], seconds=["c"], overlap=2)
    with pytest.raises(CorpusError, match="A pair of texts has"):
        model.embed([" ".join(SENTENCES)], seconds=["king"])
    with pytest.raises(CorpusError, match="A pair of texts has"):
        model.layers("the king", " ".join(SENTENCES))


def notes(shown: Shown) -> list[str]:
    return [part.text for part in shown.parts if isinstance(part, Note)]


def test_a_pair_shows_whether_its_second_text_follows() -> None:
    """The share of class 1, as the loss of next-sentence prediction counts it."""
    model = bert(next_sentence=True)
    states = torch.from_numpy(model.layers("the king", "the queen").states[-1:])
    with torch.inference_mode():
        share = float(model.objective.next_sentence(states).softmax(-1)[0, 1])
    with in_language("en"):
        (pair,), (text,) = model.show(["the king\tthe queen"]), model.show(["the king"])
    assert any(f"with a probability of {share:.3f}" in note for note in notes(pair))
    assert not any("Next-sentence" in note for note in notes(text))
    with in_language("en"):
        assert not any("Next-sentence" in note for note in notes(bert().show(["the\tking"])[0]))


def test_electra_shows_which_tokens_it_takes_for_replaced_ones() -> None:
    model = electra()
    with in_language("en"):
        (shown,) = model.show(["the king and queen"])
    (table,) = [
        each for each in shown.parts if isinstance(each, Table) and "discriminator" in each.title
    ]
    assert [row[0] for row in table.rows] == ["[CLS]", "the", "king", "and", "queen", "[SEP]"]
    states = torch.from_numpy(model.layers("the king and queen").states[-1:])
    with torch.inference_mode():
        shares = model.objective.replaced(states)[0].sigmoid()
    assert [row[1] for row in table.rows] == pytest.approx(shares.tolist(), abs=1e-3)
