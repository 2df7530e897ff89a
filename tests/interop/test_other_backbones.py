"""A family whose backbone is not a Transformer is one subclass and one row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch

from foretext.backbones.lookup import Lookup
from foretext.base.errors import ModelFileError
from foretext.interop.families import FAMILIES
from foretext.interop.family import Family, Key, Settings
from foretext.interop.hugging_face import load_hugging_face, save_hugging_face
from foretext.interop.transfer import Row
from foretext.objectives.masked_lm import MaskedLM
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer


class Static(Family):
    """Vectors of tokens, and nothing else."""

    model_type = "static"
    backbone_class = "StaticModel"
    frame = "bert"
    backbone = Lookup
    objective = MaskedLM

    fixed: ClassVar = {"characters": "none"}
    keys: ClassVar = {"vector_size": Key("hidden_size", 8), "dropout": Key("dropout", 0.0)}
    required: ClassVar = {"scale": 1.0}
    special_ids: ClassVar = {"pad_token_id": "pad"}

    prefix = "static."
    backbone_rows = (Row("tokens.vectors.weight", ("vectors",)),)
    head_rows = ()
    decoder = "decoder.weight"
    head_marks = frozenset({"decoder.weight"})
    unused = r""

    def head_class(self, head: Any) -> str:
        """No class has a head."""
        return "StaticForMaskedLM"

    def further_settings(self, theirs: Settings) -> Settings:
        """Keys say all."""
        return {}

    def further_keys(self, config: Any) -> Settings:
        """Keys say all."""
        return {}

    def head_settings(self, theirs: Settings) -> Settings:
        """No class has a head."""
        return {}

    def head_keys(self, head: Any, config: Any) -> Settings | None:
        """No class has a head."""
        return None


def test_there_and_back(
    wordpiece: SubwordTokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FAMILIES, "static", Static())
    backbone = Lookup(Lookup.Config(vector_size=6), wordpiece.vocab_size)
    save_hugging_face(tmp_path, wordpiece, backbone, None, {})
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text())
    assert (settings["model_type"], settings["hidden_size"]) == ("static", 6)
    del settings["foretext"]  # as if others had written it
    path.write_text(json.dumps(settings))
    again = load_hugging_face(tmp_path)
    assert type(again.backbone) is Lookup
    assert torch.equal(again.backbone.embedding, backbone.embedding)
    path.write_text(json.dumps({**settings, "scale": 2.0}))
    with pytest.raises(ModelFileError, match=r"scale = 2\.0 is not supported, only 1\.0 is"):
        load_hugging_face(tmp_path)
