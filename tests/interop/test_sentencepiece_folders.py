"""Folders of models whose tokenizer is a file of SentencePiece alone: whole rows, equal states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from foretext.interop.hugging_face import load_hugging_face
from foretext.language_model import LanguageModel
from tests.interop.conftest import DEBERTA, WIDE, shaken, transformers
from tests.interop.test_theirs_here import CLOSE
from tests.tokenizers.sentencepiece_writer import NORMAL_PIECES, SPECIAL, model_bytes

ROWS = {
    "DebertaV2": "[CLS] ▁the ▁cat s ▁sat [SEP]",
    "Albert": "[CLS] ▁the ▁cat s ▁sat [SEP]",
    "XLNet": "▁the ▁cat s ▁sat <sep> <cls>",
}
SETTINGS: dict[str, dict[str, Any]] = {  # file, tokens, and those of the model
    "DebertaV2": {"file": "spm.model", "tokens": "spm.model", **DEBERTA},
    "Albert": {"file": "spiece.model", "tokens": "spiece.model", **WIDE, "embedding_size": 16},
    "XLNet": {
        "file": "spiece.model",
        "tokens": "xlnet",
        "d_model": 32,
        "n_layer": 2,
        "n_head": 4,
        "d_inner": 48,
        "mem_len": None,
    },
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_folder_without_tokenizer_json(kind: str, tmp_path: Path) -> None:
    settings = dict(SETTINGS[kind])
    file, tokens = settings.pop("file"), settings.pop("tokens")
    size = len(SPECIAL[tokens]) + len(NORMAL_PIECES) + 1  # and a mask that the file may lack
    config = getattr(transformers, f"{kind}Config")(**{**settings, "vocab_size": size})
    torch.manual_seed(0)
    theirs = shaken(getattr(transformers, f"{kind}Model")(config))
    theirs.save_pretrained(tmp_path)
    (tmp_path / file).write_bytes(model_bytes(tokens))

    tokenizer = load_hugging_face(tmp_path).tokenizer
    row = [tokenizer.tokens.index(token) for token in ROWS[kind].split()]
    kinds = {"token_type_ids": torch.tensor([[0] * 5 + [2]])} if kind == "XLNet" else {}
    with torch.no_grad():
        expected = theirs(input_ids=torch.tensor([row]), **kinds).last_hidden_state[0]
    found = LanguageModel.load(tmp_path).layers("the cats sat")
    assert list(found.tokens) == ROWS[kind].split()
    torch.testing.assert_close(torch.as_tensor(found.states[-1]), expected, **CLOSE)
