"""A score that is the cosine of two texts, as `sentence-transformers` computes it."""

from __future__ import annotations

from pathlib import Path

import pytest

import foretext as ft
from foretext.artifact import RunFolder, load_language_model
from foretext.base.errors import ModelFileError
from foretext.language_model import LanguageModel
from foretext.tasks.matching.network import TextMatcher
from foretext.tasks.model import TaskModel
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.interop.conftest import transformers
from tests.interop.test_older_folders import edit_config
from tests.interop.test_tasks_there import PAIRS, class_of, saved

COSINE = {"mode": "siamese", "max_length": 24}
CLASSES = {
    "bert": "BertModel",
    "gpt2": "GPT2Model",
    "llama": "LlamaModel",
    "modernbert": "ModernBertModel",
}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("shape", CLASSES)
def test_equal_scores(
    shape: str, wordpiece: SubwordTokenizer, bpe: SubwordTokenizer, tmp_path: Path
) -> None:
    library = pytest.importorskip("sentence_transformers")
    tokenizer = wordpiece if "bert" in shape else bpe
    model = saved(tmp_path, tokenizer, shape, "matching", "score", COSINE)
    assert class_of(tmp_path) == CLASSES[shape]
    transformers.utils.logging.set_verbosity_error()  # it says that a pooler is new
    encoder = library.SentenceTransformer(str(tmp_path), device="cpu")
    transformers.utils.logging.set_verbosity_warning()
    assert encoder.max_seq_length == 24
    firsts, seconds = (encoder.encode(list(texts)) for texts in zip(*PAIRS, strict=True))
    cosines = library.util.pairwise_cos_sim(firsts, seconds)
    expected = [5 * float(cosine) for cosine in cosines]  # the rows' scale
    assert model.predict(PAIRS) == pytest.approx(expected, abs=1e-4)
    again = TaskModel.load(tmp_path, device="cpu", precision="fp32")
    assert again.predict(PAIRS) == pytest.approx(expected, abs=1e-4)
    assert load_language_model(tmp_path).pooling == "mean"


def test_what_it_opens_as(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    """A matcher as long as it is a sentence encoder; the body alone is a language model."""
    saved(tmp_path, wordpiece, "bert", "matching", "score", COSINE)
    assert RunFolder(tmp_path).kind == "matching"
    assert type(ft.load(tmp_path)) is TextMatcher
    (tmp_path / "modules.json").unlink()
    assert type(ft.load(tmp_path)) is LanguageModel


def test_body_alone_is_no_task(wordpiece: SubwordTokenizer, tmp_path: Path) -> None:
    saved(tmp_path, wordpiece, "bert", "matching", "score", COSINE)
    edit_config(tmp_path, foretext={"task": {"name": "tagging"}})
    with pytest.raises(ModelFileError, match=r"BertModel has no head, and .foretext. names no"):
        TaskModel.load(tmp_path)
    edit_config(tmp_path, foretext=None)
    with pytest.raises(ModelFileError, match=r"BertModel is of no task that foretext has; the kno"):
        TaskModel.load(tmp_path)
