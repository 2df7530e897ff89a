from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from foretext.backbones.transformer import Transformer
from foretext.base.errors import CorpusError, SettingError
from foretext.corpus import Corpus
from foretext.data.batch import Inputs
from foretext.language_model import LanguageModel
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subwords import learn_subwords
from tests.language_model.models import SENTENCES, Lines, bert, gpt


def test_answers_are_the_likeliest_of_the_whole_vocabulary() -> None:
    model = bert()
    (answers,) = model.fill("the king has a [MASK]", topn=4)
    objective, tokenizer = model.objective, model.tokenizer
    assert isinstance(objective, MaskedLM)
    ids = [2, *tokenizer.encode("the king has a [MASK]"), 3]
    with torch.inference_mode():
        states = model.backbone(Inputs(torch.tensor([ids]))).last[0, ids.index(4)]
        shares = objective.head(states).softmax(-1).numpy()
    best = [place for place in np.argsort(-shares) if tokenizer.ordinary[place]][:4]
    assert [answer.token for answer in answers] == [tokenizer.tokens[place] for place in best]
    np.testing.assert_allclose([a.probability for a in answers], shares[best], rtol=1e-5)


def test_no_answer_is_a_token_that_is_no_text() -> None:
    model = bert()
    (answers,) = model.fill("the [MASK] is", topn=1000)
    tokens = [answer.token for answer in answers]
    assert len(tokens) == model.tokenizer.vocab_size - 5
    assert not {"[MASK]", "[UNK]", "[CLS]", "[SEP]", "[PAD]"} & set(tokens)


def test_each_mask_is_filled_in_the_users_text() -> None:
    model = bert()
    text = "The  King of [MASK], and a [MASK]!"
    first, second = model.fill(text, topn=1000)
    texts = {answer.token: answer.text for answer in first}
    assert texts["sea"] == "The  King of sea, and a [MASK]!"
    continued = next(token for token in texts if token.startswith("##"))
    assert texts[continued] == f"The  King of{continued[2:]}, and a [MASK]!"
    assert {a.token: a.text for a in second}["sea"] == "The  King of [MASK], and a sea!"
    assert next(a for a in model.fill("[MASK] is", 1000)[0] if a.token == "sea").text == "sea is"


def test_a_byte_level_mask_takes_its_blank_with_it() -> None:
    settings = {
        "vocab_size": 330,
        "min_count": 1,
        "special_tokens": ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    }
    tokenizer = learn_subwords("bpe", settings, Lines())
    torch.manual_seed(0)
    backbone = Transformer(
        Transformer.Config(num_layers=1, dim=8, num_heads=1, max_length=16), tokenizer.vocab_size
    )
    objective = MaskedLM(MaskedLM.Config(), backbone, tokenizer)
    model = LanguageModel(tokenizer, backbone, objective, device="cpu")
    for mask in ("[MASK]", "<mask>"):
        (answers,) = model.fill(f"the {mask} of the sea", topn=1000)
        texts = {answer.token: answer.text for answer in answers}
        assert texts["Ġking"] == "the king of the sea"
        assert texts["s"] == "thes of the sea"
        (other,) = model.fill(f"the{mask} of the sea", topn=1000)
        assert [answer.probability for answer in other] == [a.probability for a in answers]


def test_targets_alone_are_answers_with_their_share_of_all() -> None:
    model, text = bert(), "the [MASK] of the [MASK]"
    everything = model.fill(text, topn=1000)
    for answers, whole in zip(
        model.fill(text, topn=1000, targets=["sea", "king"]), everything, strict=True
    ):
        assert answers == [answer for answer in whole if answer.token in ("sea", "king")]
    assert len(model.fill(text, topn=1, targets=["sea", "king"])[0]) == 1
    with pytest.raises(SettingError, match="targets: 'xyzzy' is no token of this model"):
        model.fill(text, targets=["sea", "xyzzy"])


def test_errors_are_sentences() -> None:
    with pytest.raises(
        SettingError, match=r"fill needs a masked model \(BERT\); this one is causal: use generate"
    ):
        gpt().fill("the [MASK]")
    model = bert()
    body = LanguageModel(model.tokenizer, model.backbone, None, device="cpu")
    with pytest.raises(SettingError, match="this one has no head: use embed"):
        body.fill("the [MASK]")
    for text in ("the king", ""):
        with pytest.raises(CorpusError, match=r"no \[MASK\]; write it in place of a word"):
            model.fill(text)
    with pytest.raises(CorpusError, match=r"has \d+ tokens, and the model sees 30 at once"):
        model.fill(" ".join(SENTENCES) + " [MASK]")


@pytest.mark.parametrize("kind", ["wordpiece", "word"])
def test_a_chinese_sentence_gets_no_blanks(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "chinese.txt"
    path.write_text("北京是中国的首都。\n上海是中国的大城市。\n" * 4, encoding="utf-8")
    settings = {"vocab_size": 60, "min_count": 1}
    tokenizer = learn_subwords(kind, settings, Corpus(path))
    torch.manual_seed(0)
    shape = Transformer.Config(num_layers=1, dim=8, num_heads=1, max_length=32)
    backbone = Transformer(shape, tokenizer.vocab_size)
    objective = MaskedLM(MaskedLM.Config(), backbone, tokenizer)
    model = LanguageModel(tokenizer, backbone, objective, device="cpu")
    (answers,) = model.fill("北京是[MASK]的首都。", topn=1000)
    whole = next(answer for answer in answers if answer.token in ("中", "中国"))
    assert whole.text == f"北京是{whole.token}的首都。"
    (answers,) = model.fill("BERT 北京[MASK]", topn=1000)
    assert next(each for each in answers if each.token == "是").text == "BERT 北京是"
