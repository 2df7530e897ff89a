from __future__ import annotations

import pytest

from foretext.base.errors import SettingError
from foretext.tokenizers.special_tokens import SpecialTokens
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tokenizers import Tokenizer, models

NONE = SpecialTokens(None, None, None, None, None, None, None)


def of_names(names: list[str], special: list[str], unknown: str | None) -> SubwordTokenizer:
    ids = {name: index for index, name in enumerate(names)}
    library = Tokenizer(models.BPE(ids, [], unk_token=unknown))
    library.add_special_tokens(special)
    return SubwordTokenizer(library)


@pytest.mark.parametrize(
    ("special", "unknown", "found"),
    [
        (
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            "[UNK]",
            SpecialTokens(pad=0, unknown=1, cls=2, sep=3, mask=4, start=None, end=None),
        ),
        (["<|endoftext|>"], None, NONE._replace(start=0, end=0)),
        (
            ["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            None,
            SpecialTokens(pad=1, unknown=3, cls=0, sep=2, mask=4, start=0, end=2),
        ),
        (
            ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>"],
            "<unk>",
            SpecialTokens(pad=5, unknown=0, cls=3, sep=4, mask=6, start=1, end=2),
        ),
        ([], None, NONE),
    ],
)
def test_tasks_by_the_names_of_published_models(
    special: list[str], unknown: str | None, found: SpecialTokens
) -> None:
    tokenizer = of_names([*special, "a", "b"], special, unknown)
    assert tokenizer.special == found
    assert tokenizer.ordinary.tolist() == [False] * len(special) + [True, True]


def test_a_task_without_a_token_is_named() -> None:
    special = of_names(["<|endoftext|>", "a"], ["<|endoftext|>"], None).special
    assert special.required("end") == 0
    with pytest.raises(SettingError) as error:
        special.required("mask")
    assert str(error.value) == (
        "The tokenizer has no mask token ([MASK] or <mask>), but this objective needs one; add "
        "'[MASK]' to the special_tokens of the section [tokenizer]."
    )


@pytest.mark.parametrize("ends", [{"start": 2, "end": 3}, {"end": 1}])
def test_ends_stay_in_every_normal_form(ends: dict[str, int]) -> None:
    library = of_names(["[UNK]", "a", "b", "c"], ["[UNK]"], "[UNK]").library
    given = SubwordTokenizer(library, ends)
    composed = given.composing("NFC")
    assert composed.form == "NFC"
    assert composed.special == given.special
    assert (composed.special.start, composed.special.end) == (ends.get("start"), ends["end"])


def test_a_name_that_is_text_has_no_task() -> None:
    """`<s>` in a vocabulary learned from web pages is a token of theirs."""
    tokenizer = of_names(["<s>", "a"], [], None)
    assert tokenizer.special == NONE
    assert tokenizer.ordinary.all()


def test_what_is_kept_free_is_not_ordinary() -> None:
    tokenizer = of_names(["[PAD]", "[unused0]", "[unused12]", "unused0"], ["[PAD]"], None)
    assert tokenizer.ordinary.tolist() == [False, False, False, True]


def test_the_unknown_token_of_a_unigram_model() -> None:
    library = Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], unk_id=0))
    tokenizer = SubwordTokenizer(library)
    assert tokenizer.special == NONE._replace(unknown=0)
    assert tokenizer.ordinary.tolist() == [False, True]


@pytest.mark.parametrize("blank", ["", "▁"])  # mT5 writes one
def test_sentinels_are_counted_up_to_the_first_that_is_missing(blank: str) -> None:
    names = ["a", *(f"{blank}<extra_id_{number}>" for number in (2, 1, 0, 4))]
    tokenizer = of_names(names, [], None)
    assert tokenizer.special.sentinels == (3, 2, 1)
    assert tokenizer.ordinary.tolist() == [True, False, False, False, True]


def test_a_sentinel_may_have_the_first_id() -> None:
    assert of_names(["<extra_id_0>", "a"], [], None).special.sentinels == (0,)
