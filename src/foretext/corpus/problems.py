"""What a user should know of a corpus before training, one sentence for each problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from foretext.corpus.advice import Proposal
from foretext.corpus.chinese_script import traditional_rate
from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.findings import CorpusReport, Duplicates, Place, Problem, Prospect
from foretext.corpus.layout import Layout
from foretext.corpus.sources import left_out_sentence
from foretext.corpus.symbols import DROPPING, KEEPING
from foretext.corpus.symptoms import Sign, Symptoms
from foretext.messages import clauses, ended, message

__all__ = ["SEVERITIES", "find_problems", "pairs_in_window", "prospects"]

SEVERITIES: tuple[Literal["error", "warning", "note"], ...] = ("error", "warning", "note")

_LITTLE = 10_000  # tokens: too few for any objective
_VECTORS = 1_000_000  # tokens: neighbours of word vectors make sense from here on
_LANGUAGE_MODEL = 10_000_000  # tokens: the same for language models
_UNDIVIDED = 100  # characters of a word, on average, that is none
_LONGEST_WORD = 40  # characters of a word that a sentence repeats
_TAGS = 5  # more pieces of HTML are not an accident
_BOTH_WAYS = 0.03  # share of simplified or traditional characters from which they are mixed
_MANY = 0.01  # share from which repetition is a warning

_WINDOW = 5
_MIN_COUNT = 5
_LENGTH = 128  # of a sequence, in sub-words, two of them special
_MASK_RATE = 0.15
_SUBWORDS_A_WORD = 1.3  # of English with some 30,000 sub-words: a rough figure


def find_problems(
    report: CorpusReport,
    symptoms: Symptoms,
    largest: Place,
    long_lines: list[Place],
    proposals: list[Proposal],
    layout: Layout,
) -> list[Problem]:
    """Return the problems of a report, the most severe first.

    Args:
        report: its own problems are kept.
        symptoms: signs found in the text.
        largest: place of the longest document.
        long_lines: places of lines that are split.
        proposals: settings that suit the text; those that are not in use are problems.
        layout: what else could end a document.
    """
    found = [
        *report.problems,
        *_amount(report),
        *_documents(report, largest, layout),
        *_repetition(report.exact_duplicates, "repeat"),
        *_repetition(report.near_duplicates, "nearly_repeat"),
        *_damage(symptoms),
        *map(_note, filter(None, [left_out_sentence(report.left_out)])),
        *_proposed(report, proposals),
        *_preparation(report, symptoms),
        *_form(report, long_lines),
    ]
    return sorted(found, key=lambda problem: SEVERITIES.index(problem.severity))


def _amount(report: CorpusReport) -> Iterator[Problem]:
    tokens = report.tokens
    if report.characters >= _UNDIVIDED * max(tokens, 1):
        length = report.characters // max(tokens, 1)
        yield _error(_said("no_blanks", length=length, command="sed 's/.\\{6\\}/& /g'"))
        return
    least = report.min_count
    kept = next(each for each in report.coverage if each.min_count == least)
    if not kept.words:
        most = report.frequent_words[0] if report.frequent_words else None
        if most is None:
            yield _error(_said("no_word_at_all", least=least))
        else:
            seen = {"word": most.word[:_LONGEST_WORD], "count": most.count}
            yield _error(_said("no_word", least=least, **seen))
    if tokens < _LITTLE:
        yield _warning(_said("little", tokens=tokens))
    elif tokens < _VECTORS:
        yield _note(_said("few_for_vectors", tokens=tokens))
    if tokens < _LANGUAGE_MODEL:
        yield _note(_said("few_for_models", tokens=tokens))
    if kept.words and kept.token_rate < 0.9:
        yield _note(_said("rare_words", least=least, rate=kept.token_rate))


def _documents(report: CorpusReport, largest: Place, layout: Layout) -> Iterator[Problem]:
    end, suits = report.documents_end, report.settings.get("corpus", {})
    if report.documents == 1:
        other = None if end == "row" or end == "mixed" else layout.smaller_documents(end)
        yield _note(_with(_said("single"), other))
        return
    share = report.document_lengths.most / max(report.tokens, 1)
    if share > 0.5:
        other = None if end == "row" or end == "mixed" else layout.smaller_documents(end)
        other = other if suits.get("documents") in (None, other) else None
        key = "one_large_divide" if other is None else "one_large"
        yield _warning(_with(_said(key, share=share), other), largest)
    several = next(each for each in report.prospects if each.objective == "next_sentence")
    number = several.figures["documents"]
    if number < 0.5 * report.documents:
        other = None if end == "row" or end == "mixed" else layout.larger_documents(end)
        by_lines = "sentences" in suits and report.reading["corpus"]["sentences"] == "line"
        key = f"few_sentences{'_lines' if by_lines else ''}"
        said = _said(key, number=number, documents=report.documents)
        yield _note(_with(said, other if suits.get("documents") in (None, other) else None))


def _said(key: str, **values: Any) -> str:
    return message(f"findings.corpus.{key}", **values)


def _with(said: str, documents: str | None) -> str:
    """Return a sentence that advises another end of documents, where there is one."""
    advice = [] if documents is None else [_said("set_documents", end=documents)]
    return ended(clauses([said, *advice]))


def _repetition(found: Duplicates, key: str) -> Iterator[Problem]:
    if found.duplicates:
        counts = {"duplicates": found.duplicates, "documents": found.documents}
        said = _such_as(_said(key, rate=found.rate, **counts), found.examples)
        yield Problem(
            severity="warning" if found.rate >= _MANY else "note",
            sentence=ended(clauses([said, _said("remove")])),
            place=found.places[0] if found.places else None,
        )


def _damage(symptoms: Symptoms) -> Iterator[Problem]:
    if symptoms.is_of_wrong_encoding:
        rate, where = symptoms.strange.count / symptoms.unusual, symptoms.strange.place
        example = symptoms.strange.example[:40]
        yield _warning(_said("wrong_encoding", rate=rate, example=example, place=where))
    if (sign := symptoms.mojibake).count:
        yield _signed("warning", sign, "mojibake", _said("convert_or_repair"))
    if (sign := symptoms.replacement).count:
        yield _signed("warning", sign, "replacement", _said("convert"))
    if (sign := symptoms.invisible).count:
        yield _signed("note", sign, "invisible", _said("joined"), _said("clean_removes"))
    if (sign := symptoms.html).count:
        yield _signed("warning" if sign.count >= _TAGS else "note", sign, "html", _said("strip"))


def _proposed(report: CorpusReport, proposals: list[Proposal]) -> Iterator[Problem]:
    """The settings that suit the text and are not in use."""
    for proposal in proposals:
        if report.reading[proposal.section].get(proposal.name) != proposal.value:
            reason = proposal.reason[0].upper() + proposal.reason[1:]
            yield _note(ended(clauses([reason, _said("set", setting=proposal.setting)])))


def _preparation(report: CorpusReport, symptoms: Symptoms) -> Iterator[Problem]:
    if symptoms.is_lower_case:
        yield _note(_said("lower_case"))
    if (sign := symptoms.unknown).count:
        yield _signed("note", sign, "unknown", _said("only_as_unk"), _said("unknown_words"))
    if (sign := symptoms.labels).count:
        remedy = _said("remove_labels", command="sed 's/__label__[^ ]* *//g'")
        yield _signed(
            "warning" if sign.count >= _TAGS else "note",
            sign,
            "labels",
            _said("become_words"),
            remedy,
        )
    main, *others = list(report.scripts.items()) or [("no", 0.0)]
    if others and others[0][1] >= 0.1:
        first, second = main, others[0]
        rates = {
            "script": message(f"findings.script.{first[0]}"),
            "main": first[1],
            "beside": message(f"findings.script.{second[0]}"),
            "rest": second[1],
        }
        yield _note(ended(clauses([_said("scripts", **rates), _said("share_vocabulary")])))
    if report.reading["tokenizer"]["pre_tokenizer"] in DROPPING:
        setting = f"tokenizer.pre_tokenizer = '{KEEPING}'"
        if (sentence := symptoms.symbols.sentence("lines", setting)) is not None:
            yield _note(ended(sentence))
    if report.counted_rate < 1:
        yield _note(_said("jieba", rate=report.counted_rate))
    traditional = traditional_rate(symptoms.characters)
    if traditional is not None and _BOTH_WAYS <= traditional <= 1 - _BOTH_WAYS:
        yield _note(_said("two_ways", simplified=1 - traditional, traditional=traditional))


def _form(report: CorpusReport, long_lines: list[Place]) -> Iterator[Problem]:
    if long_lines:
        if len(long_lines) == 1:
            said = _said("long_line_one", most=LONGEST_LINE)
        else:
            said = _said("long_line_many", number=len(long_lines), most=LONGEST_LINE)
        yield _note(said, long_lines[0])
    for file in report.files:
        if not file.documents and not any(
            problem.place and problem.place.file == file.name for problem in report.problems
        ):
            yield _warning(_said("file_without_text", name=file.name), Place(file=file.name))


def _signed(severity: Literal["warning", "note"], sign: Sign, key: str, *advice: str) -> Problem:
    said = _such_as(_said(key, count=sign.count), [sign.example])
    return Problem(severity=severity, sentence=ended(clauses([said, *advice])), place=sign.place)


def _such_as(said: str, examples: list[str]) -> str:
    """Return what was said, with the first example, if there is one."""
    if not examples or not examples[0]:
        return said
    return _said("such_as", said=said, example=examples[0])


def _error(sentence: str) -> Problem:
    return Problem(severity="error", sentence=sentence)


def _warning(sentence: str, place: Place | None = None) -> Problem:
    return Problem(severity="warning", sentence=sentence, place=place)


def _note(sentence: str, place: Place | None = None) -> Problem:
    return Problem(severity="note", sentence=sentence, place=place)


def prospects(
    sentence_lengths: Mapping[int, int],
    sentences_a_document: Mapping[int, int],
    word_lengths: Mapping[int, int],
    kept: tuple[int, int],
) -> list[Prospect]:
    """Return the figures for each objective.

    Args:
        sentence_lengths: length in tokens -> number of sentences.
        sentences_a_document: number of sentences -> number of documents.
        word_lengths: characters of a word -> number of occurrences.
        kept: words and tokens with min_count = 5.
    """
    tokens = sum(length * number for length, number in sentence_lengths.items())
    return [
        _word2vec(sentence_lengths, kept),
        _glove(sentence_lengths),
        _fasttext(word_lengths),
        _masked(tokens),
        _causal(tokens),
        _next_sentence(sentences_a_document),
    ]


def pairs_in_window(length: int, window: int) -> int:
    """Number of ordered (centre, context) pairs of a sentence of `length` tokens."""
    reach = min(window, length - 1)
    return 2 * reach * length - reach * (reach + 1) if length > 1 else 0


def _word2vec(sentence_lengths: Mapping[int, int], kept: tuple[int, int]) -> Prospect:
    pairs = sum(
        number * sum(pairs_in_window(length, window) for window in range(1, _WINDOW + 1))
        for length, number in sentence_lengths.items()
    )
    pairs = round(pairs / _WINDOW)
    words, tokens = kept
    return Prospect(
        objective="word2vec",
        figures={"pairs": pairs, "words": words, "tokens": tokens},
        sentence=_said(
            "word2vec", words=words, least=_MIN_COUNT, tokens=tokens, window=_WINDOW, pairs=pairs
        ),
    )


def _glove(sentence_lengths: Mapping[int, int]) -> Prospect:
    pairs = sum(
        number * pairs_in_window(length, _WINDOW) for length, number in sentence_lengths.items()
    )
    return Prospect(
        objective="glove",
        figures={"co_occurrences": pairs},
        sentence=_said("glove", pairs=pairs, window=_WINDOW),
    )


def _fasttext(word_lengths: Mapping[int, int]) -> Prospect:
    ngrams = sum(
        tokens * max(characters + 3 - n, 0)  # with < and > at its ends
        for characters, tokens in word_lengths.items()
        for n in range(3, 7)
    )
    mean = ngrams / max(sum(word_lengths.values()), 1)
    return Prospect(
        objective="fasttext",
        figures={"ngrams_a_token": round(mean, 2)},
        sentence=_said("fasttext", mean=mean),
    )


def _masked(tokens: int) -> Prospect:
    subwords = round(tokens * _SUBWORDS_A_WORD)
    sequences = -(-subwords // (_LENGTH - 2))
    return Prospect(
        objective="masked",
        figures={
            "subwords": subwords,
            "sequences": sequences,
            "predictions": round(subwords * _MASK_RATE),
        },
        sentence=_said(
            "masked",
            subwords=subwords,
            sequences=sequences,
            length=_LENGTH,
            predicted=round(subwords * _MASK_RATE),
        ),
    )


def _causal(tokens: int) -> Prospect:
    subwords = round(tokens * _SUBWORDS_A_WORD)
    sequences = -(-subwords // _LENGTH)
    return Prospect(
        objective="causal",
        figures={"subwords": subwords, "sequences": sequences, "predictions": subwords},
        sentence=_said("causal", subwords=subwords, sequences=sequences, length=_LENGTH),
    )


def _next_sentence(sentences_a_document: Mapping[int, int]) -> Prospect:
    documents = sum(sentences_a_document.values())
    several = sum(number for count, number in sentences_a_document.items() if count > 1)
    pairs = sum((count - 1) * number for count, number in sentences_a_document.items())
    said = _said("next_sentence", several=several, documents=documents, pairs=pairs)
    needed = [_said("two_needed")] if several < 2 else []
    return Prospect(
        objective="next_sentence",
        figures={"documents": several, "pairs": pairs},
        sentence=ended(clauses([said, *needed])),
    )
