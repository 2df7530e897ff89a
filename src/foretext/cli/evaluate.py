"""``foretext evaluate RUN DATA...``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from foretext.base.errors import ForetextError, Interrupted, SettingError
from foretext.base.terminal import say
from foretext.cli.row_options import (
    ROW_OPTIONS,
    Label,
    LengthPenalty,
    MaxNewTokens,
    Negative,
    NoRepeatNgramSize,
    NumBeams,
    Reading,
    Score,
    Source,
    Tag,
    Text,
    TextA,
    TextB,
    Token,
    checked_columns,
    has_target_file,
    reading_options,
)
from foretext.cli.shared import (
    AsJson,
    Encoding,
    RunArgument,
    clock_of,
    given_options,
    print_json,
    print_table,
    refuse_options,
)

if TYPE_CHECKING:
    from foretext.data.rows import PairsConfig

__all__ = ["evaluate"]

Figures = dict[str, Any]
Measure = Callable[[Path], Figures]
DECODING = ("num_beams", "max_new_tokens", "length_penalty", "no_repeat_ngram_size")
ANSWERING = ("precision", *DECODING)  # options of a task
ROWS_OF_PAIRS = ("text_a", "text_b", "score", "label")  # options of embeddings, without a task
ROWS_OF_TASKS = (*ROW_OPTIONS, "encoding", "set")
DOCUMENT_VECTORS = "document vectors"  # kind of a run
Show = Callable[[Path, Figures], None]


def evaluate(
    run: RunArgument,
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA",
            help="Word pairs with scores, or analogy questions; text for a language model; pairs "
            "of texts with scores or labels for both; images for an autoencoder; rows with right "
            "answers for a task; query<TAB>answer for a search index.",
        ),
    ],
    restrict_vocab: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Analogies: answer from the most frequent words only (300,000 by default).",
        ),
    ] = None,
    stride: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Causal language models: tokens that a window predicts; the others are context. "
            "Half of the model's length by default.",
        ),
    ] = None,
    documents: Annotated[
        Literal["line", "blank_line"] | None,
        typer.Option(help="Language models: where documents end, if not as in the run."),
    ] = None,
    encoding: Encoding = None,
    text: Text = None,
    label: Label = None,
    text_a: TextA = None,
    text_b: TextB = None,
    negative: Negative = None,
    score: Score = None,
    source: Source = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|COLUMN",
            help="text_to_text: the right output of each line of DATA; of a table, its column.",
        ),
    ] = None,
    token: Token = None,
    tag: Tag = None,
    settings: Reading = None,
    precision: Annotated[
        Literal["auto", "bf16", "fp32", "int8"] | None,
        typer.Option(help="Numbers that a network of a task computes in, as for predict."),
    ] = None,
    num_beams: NumBeams = None,
    max_new_tokens: MaxNewTokens = None,
    length_penalty: LengthPenalty = None,
    no_repeat_ngram_size: NoRepeatNgramSize = None,
    as_json: AsJson = False,
) -> None:
    """Score vectors, a model or a task on data with known answers.

    Rows of a task are read as those of its training were; options name other columns.
    A language model, a sentence encoder and word vectors are measured on pairs without learning:
    by the cosines of their embeddings.
    """
    options = given_options(
        restrict_vocab=restrict_vocab, stride=stride, documents=documents, encoding=encoding,
        text=text, label=label, text_a=text_a, text_b=text_b, negative=negative, score=score,
        source=source, target=target, token=token, tag=tag, set=settings, precision=precision,
        num_beams=num_beams, max_new_tokens=max_new_tokens, length_penalty=length_penalty,
        no_repeat_ngram_size=no_repeat_ngram_size,
    )  # fmt: skip
    if len(data) > 1 and has_target_file(str(data[0]), target):
        raise SettingError(
            f"--target {target} has the right outputs of one file, and {len(data)} files are to be "
            "scored; score one at a time."
        )
    measure, show = _opened(run, options)
    results: dict[str, Figures] = {}
    failed: list[ForetextError] = []
    for path in data:
        try:
            with clock_of(f"evaluating {path.name}"):
                results[str(path)] = measure(path)
        except Interrupted:
            raise
        except ForetextError as error:  # the other files are measured all the same
            failed.append(error)
            results[str(path)] = {"error": str(error)}
    if as_json and len(results) > len(failed):
        print_json(results)
    elif not as_json:
        for name, figures in results.items():
            if "error" not in figures:
                show(Path(name), figures)
    for other in failed[:-1]:
        say(f"foretext: {other}", error=True)
    if failed:
        raise failed[-1]


def _opened(run: Path, options: dict[str, Any]) -> tuple[Measure, Show]:
    """Return what measures a file, and what shows its figures."""
    from foretext.artifact import load, opened_run
    from foretext.tasks import is_predictor
    from foretext.vectors.word_vectors import WordVectors

    kind = opened_run(run).kind
    if kind == "autoencoder":
        refuse_options(run, "an autoencoder", options)
        return _of_autoencoder(run), _show_plain
    if kind == "search index":
        refuse_options(run, "a search index", options)
        return _of_index(run), _show_search
    if is_predictor(kind):
        refuse_options(run, "a trained task", options.keys() - {*ROWS_OF_TASKS, *ANSWERING})
        return _of_task(run, options), _show_labels
    alone = {*ROWS_OF_TASKS, *ANSWERING} - {*ROWS_OF_PAIRS, "encoding"}
    refuse_options(run, "no task of texts", options.keys() & alone)
    rows = _pair_rows(options)
    model = load(run)
    if model.kind == WordVectors.kind:
        refuse_options(run, "word vectors", options.keys() & {"stride", "documents", "encoding"})
        return _of_vectors(model, rows, options), _show_plain
    if model.kind == DOCUMENT_VECTORS:
        refuse_options(
            run,
            DOCUMENT_VECTORS,
            options.keys() & {"stride", "documents", "encoding", "restrict_vocab"},
        )
        return _of_text_pairs(model, rows), _show_plain
    refuse_options(run, "a language model", options.keys() & {"restrict_vocab"})
    return _of_language_model(run, model, rows, options), _show_plain


def _pair_rows(options: dict[str, Any]) -> PairsConfig | None:
    """Return which columns of pairs hold what, None where no option names one."""
    from foretext.data.rows import PairsConfig

    columns = {name: options[name] for name in ROWS_OF_PAIRS if name in options}
    if not columns:
        return None
    chosen: dict[str, Any] = {
        name: int(value) if value.isdecimal() else value for name, value in columns.items()
    }
    return PairsConfig.checked(chosen, "rows")


def _of_vectors(model: Any, rows: PairsConfig | None, options: dict[str, Any]) -> Measure:
    from foretext.evaluation import evaluate_vectors

    restricted = {name: options[name] for name in ("restrict_vocab",) if name in options}
    return lambda path: evaluate_vectors(model, [path], rows=rows, **restricted)[0].as_dict()


def _of_text_pairs(model: Any, rows: PairsConfig | None) -> Measure:
    from foretext.data.rows import found_pairs_config
    from foretext.evaluation.text_pairs import evaluate_text_pairs

    return lambda path: evaluate_text_pairs(model, path, rows or found_pairs_config(path)).as_dict()


def _of_language_model(
    run: Path, model: Any, rows: PairsConfig | None, options: dict[str, Any]
) -> Measure:
    from foretext.data.rows import found_pairs_config, names_text_pairs
    from foretext.evaluation.language_model import evaluate_language_model, reading_of
    from foretext.evaluation.text_pairs import evaluate_text_pairs

    corpus = reading_of(run, options.get("documents"), options.get("encoding"))
    stride = options.get("stride")

    def measure(path: Path) -> Figures:
        if rows is not None:
            return evaluate_text_pairs(model, path, rows).as_dict()
        if model.objective is None or names_text_pairs(path):
            return evaluate_text_pairs(model, path, found_pairs_config(path)).as_dict()
        return evaluate_language_model(model, [path], corpus=corpus, stride=stride)[0].as_dict()

    return measure


def _of_autoencoder(run: Path) -> Measure:
    from foretext.evaluation.autoencoders import evaluate_autoencoder
    from foretext.language_model.codec import Codec

    codec = Codec.load(run)
    return lambda path: dict(evaluate_autoencoder(codec, [path])[str(path)])


def _of_index(run: Path) -> Measure:
    from foretext.artifact import load
    from foretext.evaluation.search import evaluate_search
    from foretext.search import SearchIndex

    index = load(run, SearchIndex)
    return lambda path: evaluate_search(index, path).as_dict()


def _of_task(run: Path, options: dict[str, Any]) -> Measure:
    from foretext.artifact import load_task

    model = load_task(run)
    model.answering({name: options[name] for name in ANSWERING if name in options})
    over = reading_options(options.get("set", []), options.get("encoding"))

    def measure(path: Path) -> Figures:
        files, columns = _files_and_columns(run, model, path, options)
        read = model.read_rows(files, {**over, **columns})
        answers = model.answer_rows(read)
        figures = answers.figures(read)
        alike = answers.degenerate(read)
        if alike is not None:
            figures["warnings"] = [alike]
        for doubt in model.row_doubts(read):
            say(f"foretext: {path}: {doubt}.", error=True)
        return figures

    return measure


def _files_and_columns(
    run: Path, model: Any, path: Path, options: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return what rows are read from, and the columns that are named."""
    from foretext.data.rows import ParallelFiles

    columns = {name: options[name] for name in ROW_OPTIONS if name in options}
    files: Any = path
    if has_target_file(str(path), columns.get("target")):
        if not model.task.reads_parallel_files:
            refuse_options(run, f"a task of {model.title.lower()}", ["target"])
        files = ParallelFiles(str(path), columns.pop("target"))
    return files, checked_columns(columns, model.title.lower(), model.task.rows_config)


def _show_plain(path: Path, figures: Figures) -> None:
    from foretext.evaluation.figures import Evaluation

    print_table(["", ""], Evaluation(path, figures).rows(), title=path.name)


def _show_search(path: Path, figures: Figures) -> None:
    """Print the figures of each way to search."""
    from foretext.evaluation.search import WAYS

    columns = ["by", *figures[WAYS[0]]]
    print_table(columns, [[by, *figures[by].values()] for by in WAYS], title=path.name)
    say(f"{figures['queries']:,} queries; {figures['without_answer']:,} have no answer here")
    if "graph_recall" in figures:
        say(f"the graph finds {figures['graph_recall']:.1%} of the 10 nearest passages")


def _show_labels(path: Path, figures: Figures) -> None:
    """Print the figures of a task, and the table of its labels."""
    labels = figures.get("labels", {})
    apart = ("labels", "warnings", "signatures")
    plain = [(name, value) for name, value in figures.items() if name not in apart]
    print_table(["", ""], plain, title=path.name)
    for name, signature in figures.get("signatures", {}).items():
        say(f"{name}: {signature}")
    for warning in figures.get("warnings", []):
        say(f"warning: {warning}")
    if labels:
        columns = ["label", *next(iter(labels.values()))]
        print_table(columns, [[label, *row.values()] for label, row in labels.items()])
