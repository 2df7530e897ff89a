"""XLNet's folders, both ways: equal states, streams and logits, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import foretext as ft
from foretext.backbones.xlnet import XLNet
from foretext.base.errors import ModelFileError
from foretext.corpus import Corpus
from foretext.data.batch import Inputs
from foretext.heads.base import TaskBase
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.task_folder import load_task
from foretext.objectives.permutation_lm import PermutationLM
from foretext.tasks.classification.network import TextClassifier
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.matching.pairs import PairRows
from foretext.tasks.model import TaskModel, head_class
from foretext.tasks.span_qa.network import SpanReader
from foretext.tasks.tagging.network import Tagger
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords
from tests.interop.conftest import shaken, transformers
from tests.interop.test_older_folders import edit_config
from tests.interop.test_tasks_there import FOUND, LABELS, PAIRS, TEXTS, class_of
from tests.networks import sentences

CLOSE = {"atol": 1e-4, "rtol": 1e-4}
THEIRS = {"d_model": 32, "n_layer": 3, "n_head": 4, "d_inner": 48, "mem_len": None}
SHAPE = {"dim": 32, "num_layers": 3, "num_heads": 4, "feed_forward_dim": 48, "max_length": 40}
LENGTHS = (11, 7, 4)


@pytest.fixture(scope="session")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> SubwordTokenizer:
    """XLNet's kind of tokenizer, framed as XLNet's texts are."""
    text = tmp_path_factory.mktemp("unigram") / "text.txt"
    text.write_text(sentences(200), encoding="utf-8")
    names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "[UNK]"]
    settings = {"vocab_size": 120, "special_tokens": names}
    return with_frame(learn_subwords("unigram", settings, Corpus(text)), "xlnet")


def their_model(tokenizer: SubwordTokenizer, head: str, **settings: Any) -> Any:
    torch.manual_seed(1)
    config = transformers.XLNetConfig(
        **{**THEIRS, "vocab_size": tokenizer.vocab_size, "dropout": 0.0, **settings}
    )
    return shaken(getattr(transformers, f"XLNet{head}")(config))


def their_folder(folder: Path, tokenizer: SubwordTokenizer, head: str, **settings: Any) -> Any:
    model = their_model(tokenizer, head, **settings)
    model.save_pretrained(folder)
    save_hf_tokenizer(tokenizer, folder, 40, "xlnet")
    return model


def our_model(tokenizer: SubwordTokenizer, **settings: Any) -> tuple[XLNet, PermutationLM]:
    torch.manual_seed(0)
    config = XLNet.Config(**SHAPE, cls_segment=True)
    backbone = shaken(XLNet(config, tokenizer.vocab_size))
    objective = PermutationLM(PermutationLM.Config(**settings), backbone, tokenizer)
    return backbone, shaken(objective)


def padded_rows(vocab_size: int) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, token mask and segments of pairs: 0, 1, and 2 at the last token of each row."""
    generator = torch.Generator().manual_seed(5)
    ids = torch.randint(vocab_size, (3, LENGTHS[0]), generator=generator)
    lengths = torch.tensor(LENGTHS)[:, None]
    mask = torch.arange(LENGTHS[0]) < lengths
    kinds = (torch.arange(LENGTHS[0]) > 2).long().repeat(3, 1)
    return ids, mask, kinds.masked_fill(torch.arange(LENGTHS[0]) == lengths - 1, 2)


def assert_equal_states(backbone: Any, theirs: Any) -> None:
    """With padding at the right as ours, and at the left as theirs; pairs and single texts."""
    ids, mask, kinds = padded_rows(backbone.vocab_size)
    ours = Inputs(ids, mask, segments=kinds.clamp(max=1))  # it knows where `[CLS]` is
    with torch.inference_mode():
        states = backbone(ours, keep_layers=True)
        right = theirs(ids, attention_mask=mask.float(), token_type_ids=kinds)
        left = theirs(
            _to_the_left(ids),
            attention_mask=_to_the_left(mask).float(),
            token_type_ids=_to_the_left(kinds),
            output_hidden_states=True,
        )
        single = backbone(Inputs(ids, mask)).last
        other = (kinds == 2).long() * 2
        alone = theirs(ids, attention_mask=mask.float(), token_type_ids=other)
    torch.testing.assert_close(states.last[mask], right.last_hidden_state[mask], **CLOSE)
    torch.testing.assert_close(single[mask], alone.last_hidden_state[mask], **CLOSE)
    assert len(left.hidden_states) == len(states.layers)
    for our, their in zip(states.layers, left.hidden_states, strict=True):
        torch.testing.assert_close(our[mask], their[_to_the_left(mask)], **CLOSE)


def _to_the_left(rows: Tensor) -> Tensor:
    """Bring the padding of rows to their left end."""
    moved = [row.roll(LENGTHS[0] - length, 0) for row, length in zip(rows, LENGTHS, strict=True)]
    return torch.stack(moved)


def assert_equal_streams(backbone: Any, objective: Any, theirs: Any) -> None:
    """Both streams under a permutation, with padding and segments: logits of the queries."""
    ids, mask, kinds = padded_rows(backbone.vocab_size)
    generator = torch.Generator().manual_seed(6)
    seen = torch.rand(3, LENGTHS[0], LENGTHS[0], generator=generator) < 0.6
    seen[:, :, 0] = True
    where = torch.tensor([[1, 5, 9], [2, 0, 4], [3, 1, 2]])
    mapping = torch.nn.functional.one_hot(where, LENGTHS[0]).float()
    hidden = ~seen
    answer = theirs(
        ids,
        attention_mask=mask.float(),
        token_type_ids=kinds,
        perm_mask=hidden.float(),
        target_mapping=mapping,
    )
    of_queries = seen.gather(1, where[..., None].expand(-1, -1, LENGTHS[0]))
    inputs = Inputs(
        torch.cat([ids, torch.zeros_like(where)], 1),
        torch.cat([mask, torch.ones_like(where, dtype=torch.bool)], 1),
        "matrix",
        visible=torch.cat([seen, of_queries], 1),
        segments=torch.cat([kinds, kinds.gather(1, where)], 1),
        positions=torch.cat([torch.arange(LENGTHS[0]).expand_as(ids), where], 1),
        num_queries=3,
    )
    states = backbone(inputs).last[:, LENGTHS[0] :]
    torch.testing.assert_close(objective.head(states), answer.logits, **CLOSE)


@pytest.mark.parametrize("settings", [{}, {"ff_activation": "relu"}, {"ff_activation": "gelu_new"}])
@torch.inference_mode()
def test_theirs_here(unigram: SubwordTokenizer, tmp_path: Path, settings: dict[str, Any]) -> None:
    theirs = their_folder(tmp_path, unigram, "LMHeadModel", **settings)
    loaded = load_hugging_face(tmp_path)
    assert loaded.visibility == "full"
    assert loaded.unused == ()
    assert_equal_states(loaded.backbone, theirs.transformer)
    assert_equal_streams(loaded.backbone, loaded.objective, theirs)


@torch.inference_mode()
def test_their_body_here(unigram: SubwordTokenizer, tmp_path: Path) -> None:
    theirs = their_folder(tmp_path, unigram, "Model")
    loaded = load_hugging_face(tmp_path)
    assert loaded.objective is None
    assert_equal_states(loaded.backbone, theirs)


@pytest.mark.parametrize("tied", [True, False])
@torch.inference_mode()
def test_ours_there(unigram: SubwordTokenizer, tmp_path: Path, tied: bool) -> None:
    backbone, objective = our_model(unigram, tied=tied, max_span=3)
    save_hugging_face(tmp_path, unigram, backbone, objective, {})
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["XLNetLMHeadModel"]
    theirs, info = transformers.XLNetLMHeadModel.from_pretrained(tmp_path, output_loading_info=True)
    assert not any(info.values()), info
    theirs.eval()
    assert_equal_states(backbone, theirs.transformer)
    assert_equal_streams(backbone, objective, theirs)
    again = load_hugging_face(tmp_path)
    assert again.objective.config == objective.config
    assert again.backbone.config == backbone.config
    for name, weight in backbone.state_dict().items():
        assert torch.equal(weight, again.backbone.state_dict()[name]), name


def test_our_fill_is_their_prediction(unigram: SubwordTokenizer, tmp_path: Path) -> None:
    """Their way to fill: nobody sees the masked token, and a target is mapped to it."""
    theirs = their_folder(tmp_path, unigram, "LMHeadModel")
    model = ft.LanguageModel.load(tmp_path, device="cpu", precision="fp32")
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    encoded = tokenize("the dog<mask> in the morning .", return_tensors="pt")
    (place,) = (encoded["input_ids"][0] == tokenize.mask_token_id).nonzero()[0].tolist()
    T = encoded["input_ids"].shape[1]
    hidden, mapping = torch.zeros(1, T, T), torch.zeros(1, 1, T)
    hidden[:, :, place] = 1
    mapping[0, 0, place] = 1
    with torch.inference_mode():
        logits = theirs(**encoded, perm_mask=hidden, target_mapping=mapping).logits[0, 0]
    ((best, *_),) = model.fill("the dog [MASK] in the morning .")
    shares = logits.softmax(-1)
    expected = int(shares.masked_fill(torch.from_numpy(~unigram.ordinary), 0).argmax())
    assert best.token == unigram.tokens[expected]
    assert best.probability == pytest.approx(float(shares[expected]), abs=1e-5)


TASKS = [
    ("classification", "labels", "SequenceClassification", TextClassifier),
    ("classification", "label sets", "SequenceClassification", TextClassifier),
    ("matching", "score", "SequenceClassification", TextMatcher),
    ("matching", "labels", "SequenceClassification", TextMatcher),
    ("tagging", "tags", "TokenClassification", Tagger),
    ("span_qa", "spans", "QuestionAnsweringSimple", SpanReader),
]


@pytest.mark.parametrize(("task", "found", "head", "kind"), TASKS)
def test_our_tasks_there(
    task: str, found: str, head: str, kind: Any, unigram: SubwordTokenizer, tmp_path: Path
) -> None:
    backbone, _ = our_model(unigram)
    base = TaskBase(unigram, backbone, "full")
    settings = {"pooling": "last"} if head == "SequenceClassification" else {}
    settings |= {"shared_tokens": False} if task in ("matching", "span_qa") else {}
    made = kind.task.head(kind.task.head_config(**settings), base, **FOUND[found])
    model = kind(base, shaken(made), device="cpu", precision="fp32")
    model.save(tmp_path)
    assert class_of(tmp_path) == f"XLNetFor{head}"
    theirs, info = getattr(transformers, f"XLNetFor{head}").from_pretrained(
        tmp_path, output_loading_info=True
    )
    assert not any(info.values()), info
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = list(zip(*PAIRS, strict=True)) if task in ("matching", "span_qa") else [TEXTS]
    encoded = tokenize(*map(list, texts), padding=True, return_tensors="pt")
    assert encoded["attention_mask"][:, -1].all()  # they pad at the left
    with torch.inference_mode():
        answer = theirs.eval()(**encoded)
    logits = answer[0] if head != "QuestionAnsweringSimple" else torch.stack(answer[:2], -1)
    ours = our_logits(model, encoded)
    if head == "SequenceClassification":
        torch.testing.assert_close(torch.stack(ours), logits, **CLOSE)
        return
    for row, mask, mine in zip(logits, encoded["attention_mask"].bool(), ours, strict=True):
        torch.testing.assert_close(mine, row[mask], **CLOSE)


def our_logits(model: Any, encoded: Any) -> list[Tensor]:
    """Ours of each row by itself, without padding; `[CLS]` is found without being told."""
    found = []
    for ids, mask, kinds in zip(
        encoded["input_ids"], encoded["attention_mask"].bool(), encoded["token_type_ids"],
        strict=True,
    ):  # fmt: skip
        assert kinds[-1] == 2
        inputs = Inputs(ids[mask][None], segments=kinds[mask].clamp(max=1)[None])
        with torch.inference_mode():
            found.append(model.head.outputs(model.base.backbone(inputs), inputs)[0])
    return found


@pytest.mark.parametrize(
    ("head", "kind"), [(each[2], each[3]) for each in TASKS[1:] if each[1] != "labels"]
)
def test_their_tasks_here(head: str, kind: Any, unigram: SubwordTokenizer, tmp_path: Path) -> None:
    named = {"id2label": dict(enumerate(LABELS))} if kind is TextClassifier else {}
    if kind is TextMatcher:
        named = {"num_labels": 1}
    if kind is Tagger:
        named = {"id2label": {0: "O", 1: "B-ANIMAL", 2: "I-ANIMAL"}}
    theirs = their_folder(tmp_path, unigram, f"For{head}", **named)
    model = TaskModel.load(tmp_path, device="cpu", precision="fp32")
    assert type(model) is kind
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = list(zip(*PAIRS, strict=True)) if kind in (TextMatcher, SpanReader) else [TEXTS]
    encoded = tokenize(*map(list, texts), padding=True, return_tensors="pt")
    with torch.inference_mode():
        answer = theirs(**encoded)
    logits = answer[0] if kind is not SpanReader else torch.stack(answer[:2], -1)
    for row, mask, mine in zip(
        logits, encoded["attention_mask"].bool(), our_logits(model, encoded), strict=True
    ):
        torch.testing.assert_close(mine, row[mask] if row.dim() > 1 else row, **CLOSE)


def test_their_tokenizer_makes_our_rows(unigram: SubwordTokenizer, tmp_path: Path) -> None:
    backbone, objective = our_model(unigram)
    save_hugging_face(tmp_path, unigram, backbone, objective, {})
    tokenize = transformers.AutoTokenizer.from_pretrained(tmp_path)
    base = TaskBase(unigram, backbone, "full")
    rows = PairRows.of(base, PAIRS, 40, "pair")
    batch = rows.examples(base, {}).batch(np.arange(len(PAIRS)))
    encoded = tokenize(*map(list, zip(*PAIRS, strict=True)), padding=True, return_tensors="pt")
    for ids, mask, theirs, their_mask in zip(
        batch.inputs.ids, batch.inputs.token_mask, encoded["input_ids"],
        encoded["attention_mask"].bool(), strict=True,
    ):  # fmt: skip
        assert ids[mask].tolist() == theirs[their_mask].tolist()
        assert ids[mask][-1] == unigram.special.cls
    assert base.framing(40).around([9]) == [9, unigram.special.sep, unigram.special.cls]


REFUSED = [
    ({"mem_len": 512}, "mem_len = 512 is not supported, only null is"),
    ({"reuse_len": 8}, "reuse_len = 8 is not supported, only null is"),
    ({"bi_data": True}, "bi_data = True is not supported, only False is"),
    ({"clamp_len": 100}, "clamp_len = 100 is not supported, only -1 is"),
    ({"attn_type": "uni"}, "attn_type = 'uni' is not supported, only 'bi' is"),
    ({"same_length": True}, "same_length = True is not supported"),
    ({"d_head": 16}, "d_head = 16 is not supported with d_model = 32 and n_head = 4"),
    ({"ff_activation": "silu"}, "ff_activation = 'silu' is not supported"),
    ({"n_head": 0}, "n_head|num_heads"),
    ({"d_model": "wide"}, "d_model|dim"),
]


@pytest.mark.parametrize(("settings", "message"), REFUSED)
def test_what_is_refused(
    settings: dict[str, Any], message: str, unigram: SubwordTokenizer, tmp_path: Path
) -> None:
    their_folder(tmp_path, unigram, "LMHeadModel")
    edit_config(tmp_path, **settings)
    with pytest.raises(ModelFileError, match=message):
        load_hugging_face(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [("summary_type", "mean"), ("summary_use_proj", False), ("summary_activation", "relu")],
)
def test_other_vectors_of_texts_are_refused(
    name: str, value: Any, unigram: SubwordTokenizer, tmp_path: Path
) -> None:
    their_folder(tmp_path, unigram, "ForSequenceClassification")
    edit_config(tmp_path, **{name: value})
    with pytest.raises(ModelFileError, match=f"{name} = {value!r} is not supported"):
        load_task(tmp_path, head_class)


def test_weights_of_another_width_are_refused(unigram: SubwordTokenizer, tmp_path: Path) -> None:
    their_folder(tmp_path, unigram, "LMHeadModel")
    edit_config(tmp_path, n_head=2, d_head=16)
    with pytest.raises(ModelFileError, match=r"has the shape \(32, 4, 8\)"):
        load_hugging_face(tmp_path)
