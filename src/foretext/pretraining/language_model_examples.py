"""Examples of a language model's training, drawn as the training draws them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from foretext.data.batch import Batch
from foretext.data.examples import Examples
from foretext.data.token_file import TokenFile
from foretext.messages import message
from foretext.objectives.base import Objective
from foretext.objectives.criterion import Criterion
from foretext.objectives.shown_example import shapes_table
from foretext.pretraining.building import build_model, check_model, objective_class
from foretext.pretraining.learner import Draw
from foretext.recipe import Recipe
from foretext.shown import Note, Part, Shown, Table
from foretext.tokenizers.base import Tokenizer
from foretext.tokenizers.frames import with_frame
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.training.batches import Batches
from foretext.training.model import Model

__all__ = ["given_tokenizer", "shown_batches", "shown_examples"]

MOST_STEPS = 100  # in which new examples are looked for
FEW_TOKENS = 5000  # of which no usual vocabulary can be learned
ROW = 32  # tokens of a row, where the user says nothing: more are hard to read


def given_tokenizer(recipe: Recipe, path: Path | None) -> SubwordTokenizer | None:
    """Open a tokenizer's file with the frame that the objective needs; None of no path.

    Raises:
        ForetextError: there is none, or it is damaged.
    """
    if path is None:
        return None
    tokenizer = SubwordTokenizer.load(path)
    frame = objective_class(recipe).frame
    return tokenizer if frame is None else with_frame(tokenizer, frame)


def shown_examples(
    recipe: Recipe, tokenizer: SubwordTokenizer, tokens: TokenFile, draw: Draw
) -> Iterator[Shown]:
    """Yield the text in figures, examples, and the batch that they are.

    Raises:
        ForetextError: objective, backbone and tokenizer do not fit, or the text is too short.
    """
    recipe, notes = _possible(_short_rows(recipe), tokens)
    model = _model(recipe, tokenizer)
    notes += model.objective.cautions(tokens)
    yield _text(recipe, tokenizer, tokens, notes)
    yield from shown_batches(model.objective, model.objective.examples(tokens), tokenizer, draw)


def shown_batches(
    criterion: Criterion, examples: Examples, tokenizer: Tokenizer, draw: Draw
) -> Iterator[Shown]:
    """Yield examples as the training's batches have them, and the batch that they are.

    Args:
        criterion: an objective, or the head of a task.
        examples: that it is trained on.
        tokenizer: of the text.
        draw: which of them.
    """
    batches = Batches(examples, draw.number, draw.seed, continues=criterion.carries_state)
    first = batches.batch(0)
    found = _different(criterion.show(each, tokenizer) for each in _examples(batches))
    for number, parts in enumerate(islice(found, draw.number), 1):
        yield Shown(message("show.example", number=number), parts)
    yield _batch(first, criterion)


def _short_rows(recipe: Recipe) -> Recipe:
    """Return the recipe with rows that can be read, unless the user chose their length."""
    settings = recipe.parts["objective"].settings()
    if "row_length" not in settings or "objective.row_length" in recipe.chosen:
        return recipe
    length = min(settings["row_length"] or ROW, ROW)
    return recipe.with_settings("objective", row_length=length)


def _possible(recipe: Recipe, tokens: TokenFile) -> tuple[Recipe, list[str]]:
    """Return the recipe without what the text does not allow, and a note on that."""
    section = recipe.parts["objective"]
    config, note = objective_class(recipe).text_rules.possible(section.config, [tokens])
    return recipe.with_config("objective", config), [] if note is None else [note]


def _model(recipe: Recipe, tokenizer: SubwordTokenizer) -> Model[Objective]:
    """Build the model: without memory for its weights, unless a network makes the examples."""
    model = check_model(recipe, tokenizer)
    return build_model(recipe, tokenizer) if model.objective.networks else model


def _examples(batches: Batches) -> Iterator[Batch]:
    """Yield the examples of step after step, each as a batch of its own."""
    for step in range(MOST_STEPS):
        batch = batches.batch(step)
        yield from (batch.rows(row, row + 1) for row in range(len(batch)))


def _different(examples: Iterable[Sequence[Part]]) -> Iterator[tuple[Part, ...]]:
    """Yield examples, each once: a short text has few rows, and not all are drawn anew."""
    seen: set[tuple[Part, ...]] = set()
    for parts in map(tuple, examples):
        if parts not in seen:
            seen.add(parts)
            yield parts


def _text(
    recipe: Recipe, tokenizer: SubwordTokenizer, tokens: TokenFile, notes: Iterable[str]
) -> Shown:
    """Return what the text is, and by which objective and tokenizer it is read."""
    parts: list[Part] = [
        Note(
            message(
                "show.text",
                documents=tokens.num_documents,
                sentences=tokens.num_sentences,
                tokens=tokens.num_tokens,
                kind=recipe.parts["tokenizer"].name,
                vocab_size=tokenizer.vocab_size,
            )
        ),
        Note(message("show.rows", length=recipe.parts["objective"].settings().get("row_length"))),
        *map(Note, notes),
    ]
    if tokens.num_tokens < FEW_TOKENS:
        parts.insert(1, Note(message("show.small")))
    return Shown(message("show.text_title"), tuple(parts))


def _batch(batch: Batch, objective: Criterion) -> Shown:
    """Return the shapes of a batch, and how much is predicted in it."""
    counts = {} if objective.networks else objective.counts(batch)  # these prepare a batch first
    parts: list[Part] = [shapes_table(batch)]
    if counts:
        columns = message("show.part"), message("show.predictions")
        parts.append(Table.of(message("show.counts"), columns, counts.items()))
    return Shown(message("show.batch_title", number=len(batch)), tuple(parts))
