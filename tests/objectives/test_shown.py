"""What each objective shows, held against the text itself and against what networks see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import foretext as ft
from foretext.backbones.xlnet import XLNet
from foretext.data.batch import Batch, Inputs
from foretext.messages import in_language
from foretext.objectives.masked_lm import MaskedLM
from foretext.objectives.permutation_lm import PermutationLM, shown_order
from foretext.objectives.unilm import visible_matrix
from foretext.report.showing import Showing
from foretext.shown import Grid, Note, Part, Table, TokenLine, TokenLines
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from tests.language_model.models import learned_tokenizer

WORDS = (
    *("ship", "wave", "sail", "deck", "storm", "judge", "jury"),
    *("court", "verdict", "law", "bread", "oven", "flour", "salt", "crust"),
)


def made_text(documents: int = 6, words: int = 300) -> str:
    """A text of few words: each becomes a token. A document has a sentence a line."""
    rng = np.random.default_rng(0)
    rows = [rng.choice(WORDS, words).tolist() for _ in range(documents)]
    return "\n\n".join(
        "\n".join(" ".join(row[at : at + 6]) for at in range(0, len(row), 6)) for row in rows
    )


TEXT = made_text()
STREAM = f" {' '.join(TEXT.split())} "
SETTINGS = {"corpus": {"documents": "blank_line", "sentences": "line"}}


def examples(
    recipe: str, number: int, text: str = TEXT, **settings: object
) -> Iterator[tuple[Part, ...]]:
    """Yield the parts of each example of a text."""
    sections = {**SETTINGS, **settings}
    showing: Showing = ft.show(recipe, text, examples=number, settings=sections, lang="en")
    for shown in showing.shown:
        if shown.title.startswith("Example"):
            yield shown.parts


def rows(parts: tuple[Part, ...], number: int = 0) -> dict[str, TokenLine]:
    """The lines of one of an example's `TokenLines`, by label."""
    found = [part for part in parts if isinstance(part, TokenLines)]
    return {line.label: line for line in found[number].lines}


def grids(parts: tuple[Part, ...]) -> list[Grid]:
    return [part for part in parts if isinstance(part, Grid)]


def notes(parts: tuple[Part, ...]) -> str:
    return " ".join(part.text for part in parts if isinstance(part, Note))


def is_in_text(tokens: list[str]) -> bool:
    """Whether tokens of whole words stand so in the text, with separators left out."""
    kept = [token.lstrip("▁") for token in tokens if not token.startswith(("[", "<"))]
    return f" {' '.join(kept)} " in STREAM


def document_of(tokens: list[str]) -> int:
    """The number of the document that has tokens of whole words."""
    wanted = f" {' '.join(token for token in tokens if token in WORDS)} "
    documents = [f" {' '.join(document.split())} " for document in TEXT.split("\n\n")]
    (found,) = [number for number, document in enumerate(documents) if wanted in document]
    return found


@pytest.mark.parametrize(("recipe", "rate"), [("deberta", 0.15), ("modern-bert", 0.3)])
def test_masks_are_of_the_rate_and_in_80_10_10(recipe: str, rate: float) -> None:
    shown = list(examples(recipe, 250, tokenizer={"name": "wordpiece"}))
    marks: list[str] = []
    for parts in shown:
        line, original = rows(parts)["token"], rows(parts)["original"]
        chosen = [mark in ("masked", "random", "kept") for mark in line.marks]
        assert [mark == "target" for mark in original.marks] == chosen
        restored = [old or token for token, old in zip(line.tokens, original.tokens, strict=True)]
        assert is_in_text(restored)
        for token, old, mark in zip(line.tokens, original.tokens, line.marks, strict=True):
            assert (token == "[MASK]") == (mark == "masked")
            if mark in ("random", "kept"):
                assert (token == old) == (mark == "kept")
        marks += [mark for mark in line.marks if mark != "special"]
        assert f"{sum(chosen)} of {len(line.tokens) - line.marks.count('special')}" in notes(parts)
    share = {mark: marks.count(mark) / len(marks) for mark in ("masked", "random", "kept")}
    assert sum(share.values()) == pytest.approx(rate, abs=0.02)
    assert share["masked"] / sum(share.values()) == pytest.approx(0.8, abs=0.04)
    assert share["random"] / sum(share.values()) == pytest.approx(0.1, abs=0.03)
    assert share["kept"] / sum(share.values()) == pytest.approx(0.1, abs=0.03)


def test_pairs_are_what_their_label_says() -> None:
    labels = []
    for parts in examples("bert", 120):
        line, original = rows(parts)["token"], rows(parts)["original"]
        restored = [old or token for token, old in zip(line.tokens, original.tokens, strict=True)]
        segments = rows(parts)["segment"].tokens
        end = len(restored) - restored[::-1].index("[SEP]")
        first, second = (
            [t for t, s in zip(restored[:end], segments[:end], strict=True) if s == number]
            for number in "01"
        )
        assert first[0] == "[CLS]"
        assert first[-1] == second[-1] == "[SEP]"
        assert is_in_text(first)
        assert is_in_text(second)
        follows = "Label 1" in notes(parts)
        assert ("Label 0" in notes(parts)) != follows
        assert (document_of(first) == document_of(second)) == follows
        labels.append(follows)
    assert 0.35 < np.mean(labels) < 0.65


def test_a_decoder_is_asked_for_the_token_after_each() -> None:
    for recipe in ("gpt", "lstm-lm"):
        for parts in examples(recipe, 5):
            lines = rows(parts)
            read, target = lines["token"].tokens, lines["target (next)"].tokens
            assert read[1:] == target[:-1]
            (grid,) = grids(parts)
            for i, row in enumerate(grid.values):
                assert row == (1,) * (i + 1) + (0,) * (len(row) - i - 1)
            (steps,) = [part for part in parts if isinstance(part, Table)]
            assert [row[2] for row in steps.rows] == list(target[:8])
            assert steps.rows[2][1] == " ".join(read[:3])
    assert is_in_text(list(read))


def test_elmo_reads_from_both_sides() -> None:
    for parts in examples("elmo", 5):
        lines = rows(parts)
        words = lines["token"].tokens
        assert lines["next word"].tokens[:-1] == words[1:]
        assert lines["word before"].tokens[1:] == words[:-1]
        left, right = (np.array(grid.values) for grid in grids(parts))
        assert np.array_equal(left, np.tril(np.ones_like(left)))
        assert np.array_equal(right, np.triu(np.ones_like(right)))


def test_t5_puts_together_again_what_it_cut_out() -> None:
    for parts in examples("t5", 20):
        source = rows(parts)["token"].tokens
        target = rows(parts, 1)["target (next)"].tokens
        decoder = rows(parts, 1)["decoder input"].tokens
        assert decoder == ("<pad>", *target[:-1])
        spans: dict[str, list[str]] = {}
        for token in target[:-1]:
            if token.startswith("<extra_id"):
                name = token
                spans[name] = []
            else:
                spans[name].append(token)
        whole = [each for token in source[:-1] for each in spans.get(token, [token])]
        text = "".join(whole).replace("▁", " ").replace("</s>", " ")
        assert " ".join(text.split()) in STREAM
        hidden = sum(map(len, spans.values()))
        assert f"{hidden} of {len(whole)} tokens" in notes(parts)
        assert f"in spans: {len(spans)}." in notes(parts)


def test_bart_writes_the_whole_text() -> None:
    for parts in examples("bart", 20, objective={"permute_sentences": False}):
        source, target = rows(parts)["token"], rows(parts, 1)["target (next)"]
        text = "".join(target.tokens[1:-1]).replace("▁", " ").replace("</s>", " ")
        assert "".join(text.split()) in STREAM.replace(" ", "")
        left = [token for token in source.tokens if token not in ("<mask>", "<pad>")]
        others = iter(target.tokens)
        assert all(token in others for token in left)  # the same order
        masks = source.tokens.count("<mask>")
        assert f"behind {masks} masks" in notes(parts)
        assert [mark == "masked_span" for mark in source.marks].count(True) == masks


def test_a_prefix_is_seen_as_a_whole() -> None:
    cuts = set()
    for parts in examples("prefix-lm", 1, objective={"row_length": 12}):
        for grid in grids(parts):
            mask = np.array(grid.values)
            read = int(mask[0].sum())
            cuts.add(read)
            assert mask[:, :read].all()
            assert np.array_equal(mask[read:, read:], np.tril(np.ones_like(mask[read:, read:])))
        marks = rows(parts)["target (next)"].marks
        assert [bool(mark) for mark in marks] == [at >= read - 1 for at in range(len(marks))]
    assert cuts


def test_electra_labels_what_differs_from_the_text() -> None:
    labels, masked = [], []
    for parts in examples("electra", 30):
        lines = rows(parts)
        original, read = lines["original"].tokens, lines["discriminator reads"].tokens
        differs = [int(old != new) for old, new in zip(original, read, strict=True)]
        assert [int(label) for label in lines["replaced?"].tokens] == differs
        seen = lines["generator reads"].tokens
        assert all(
            token == "[MASK]" or token == old for token, old in zip(seen, original, strict=True)
        )
        assert all(seen[at] == "[MASK]" for at, label in enumerate(differs) if label)
        assert is_in_text(list(original))
        labels += differs
        masked += [token == "[MASK]" for token in seen]
    assert 0 < sum(labels) <= sum(masked)


def test_ernie_hides_entities_as_a_whole(tmp_path: Path) -> None:
    names = {(word, "ship") for word in WORDS[1:]}
    file = tmp_path / "names.txt"
    file.write_text("".join(f"{' '.join(name)}\n" for name in names))
    settings = {"entities": str(file), "next_sentence": False, "words": "tokens"}
    kinds, together = set(), []
    text = TEXT.replace("\n\n", "|").replace("\n", " ").replace("|", "\n\n")
    for parts in examples("ernie", 90, text, objective=settings):
        said = notes(parts)
        kind = next(
            name for name in ("single tokens", "phrases", "entities") if f"hides {name}" in said
        )
        kinds.add(kind)
        if kind != "entities":
            continue
        original = rows(parts)["original"].tokens
        tokens = rows(parts)["token"].tokens
        restored = [old or new for old, new in zip(original, tokens, strict=True)]
        for at in range(len(restored) - 1):
            if tuple(restored[at : at + 2]) in names:
                together.append((bool(original[at]), bool(original[at + 1])))
    assert kinds == {"single tokens", "phrases", "entities"}
    assert set(together) == {(True, True), (False, False)}


def test_unilm_by_hand() -> None:
    full, left, right, source = (
        visible_matrix(torch.arange(4), torch.full((4,), 1), 4).int().tolist()
    )
    assert full == [[1, 1, 1, 1]] * 4
    assert left == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert right == [[1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    assert source == [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


@pytest.mark.parametrize("seed", range(4))
def test_unilm_shows_its_four_ways_and_which_one_is_drawn(seed: int) -> None:
    settings = {**SETTINGS, "objective": {"row_length": 8}}
    showing = ft.show("unilm", TEXT, examples=1, seed=seed, settings=settings, lang="en")
    parts = showing.shown[1].parts
    found = grids(parts)
    assert [grid.title.removesuffix(" (this row)") for grid in found] == [
        "bidirectional", "left to right", "right to left", "sequence to sequence",
    ]  # fmt: skip
    (this,) = [grid for grid in found if grid.title.endswith("(this row)")]
    assert f"read as {this.title.removesuffix(' (this row)')}." in notes(parts)
    end = int(notes(parts).rpartition("position ")[2].rstrip("."))
    source = np.array(found[3].values)
    assert source[:, : end + 1].all()
    assert np.array_equal(source[end + 1 :, end + 1 :], np.tril(np.ones((7 - end, 7 - end))))
    if this is found[3]:
        assert rows(parts)["token"].tokens[end] == "[SEP]"


def test_xlnet_shows_whom_the_network_sees() -> None:
    tokenizer = learned_tokenizer("wordpiece")
    torch.manual_seed(0)
    shape = XLNet.Config(num_layers=1, dim=16, num_heads=2)
    backbone = XLNet.build(shape, tokenizer.vocab_size).eval()
    objective = PermutationLM(PermutationLM.Config(row_length=16), backbone, tokenizer)
    batch = permuted_batch(objective, tokenizer)
    with in_language("en"):
        parts = tuple(objective.show(batch, tokenizer))
    content, query = grids(parts)
    order = [0 if token == "·" else int(token) for token in rows(parts)["order"].tokens]
    T = len(order)
    for i, row in enumerate(content.values):
        assert row == tuple(int(order[j] <= order[i]) for j in range(T))
    asked = [int(label.split()[0]) for label in query.rows]
    assert sorted(asked) == [at for at, place in enumerate(order) if place]
    for place, row in zip(asked, query.values, strict=True):
        assert row == tuple(int(order[j] < order[place]) for j in range(T))
    assert np.array_equal(influence(backbone, batch, T)[: len(asked)], np.array(query.values))


def permuted_batch(objective: PermutationLM, tokenizer: SubwordTokenizer) -> Batch:
    from foretext.objectives.permutation_lm import PermutationRows

    class Stream:
        separator = tokenizer.special.required("sep")
        ids = np.flatnonzero(tokenizer.ordinary)[:14].astype(np.int64)

        def __len__(self) -> int:
            return len(self.ids)

        def take(self, places: np.ndarray) -> np.ndarray:
            return self.ids[places]

    special = tokenizer.special.required("cls"), tokenizer.special.required("mask")
    made = PermutationRows(Stream(), 16, special, tokenizer.ordinary, objective.config)  # type: ignore[arg-type]
    return made.batch(np.array([0]), np.random.default_rng(5))


@torch.no_grad()
def influence(backbone: XLNet, batch: Batch, num_tokens: int) -> np.ndarray:
    """Which token changes the state of which query, (M, T)."""
    inputs: Inputs = batch.inputs
    before = backbone(inputs).last[0, -inputs.num_queries :]
    found = np.zeros((inputs.num_queries, num_tokens), np.int64)
    for place in range(num_tokens):
        ids = inputs.ids.clone()
        ids[0, place] = (ids[0, place] + 7) % backbone.vocab_size
        after = backbone(replace(inputs, ids=ids)).last[0, -inputs.num_queries :]
        found[:, place] = ((after - before).abs().amax(1) > 1e-7).numpy()
    return found


def test_the_order_by_hand() -> None:
    # 1 is predicted first, then 3; 0 and 2 are seen by all
    visible = torch.tensor([[1, 0, 1, 0], [1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]).bool()
    assert shown_order(visible) == [0, 1, 0, 2]


def test_another_objective_is_shown_without_a_line_of_its_own() -> None:
    from foretext.objectives.base import Objective

    class Plain(MaskedLM):
        show = Objective.show

    ids = torch.tensor([[5, 6, 7]])
    targets = {
        "made_up": torch.tensor([[0.5, 0.25, 1]]),
        "masked": ids > 5,
        "whole": torch.tensor([3]),
    }
    batch = Batch(Inputs(ids, visibility="causal"), targets)
    tokenizer = learned_tokenizer("wordpiece")
    with in_language("en"):
        parts = tuple(Plain.show(object(), batch, tokenizer))  # type: ignore[arg-type]
    lines = rows(parts)
    assert lines["token"].tokens == tuple(tokenizer.tokens[5:8])
    assert lines["made_up"].tokens == ("0.5", "0.25", "1")
    assert lines["is predicted"].tokens == ("·", "1", "1")
    (table,) = [part for part in parts if isinstance(part, Table)]
    assert table.rows == (("whole", "3"),)
