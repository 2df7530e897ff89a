"""What a user should know of a corpus before training, one sentence for each problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from foretext.corpus.advice import Proposal
from foretext.corpus.chinese_script import traditional_rate
from foretext.corpus.decoding import LONGEST_LINE
from foretext.corpus.findings import CorpusReport, Duplicates, Place, Problem, Prospect
from foretext.corpus.layout import Layout
from foretext.corpus.sources import left_out_sentence
from foretext.corpus.symbols import DROPPING, KEEPING
from foretext.corpus.symptoms import Sign, Symptoms

__all__ = ["SEVERITIES", "find_problems", "pairs_in_window", "prospects"]

SEVERITIES: tuple[Literal["error", "warning", "note"], ...] = ("error", "warning", "note")

_LITTLE = 10_000  # tokens: too few for any objective
_VECTORS = 1_000_000  # tokens: neighbours of word vectors make sense from here on
_LANGUAGE_MODEL = 10_000_000  # tokens: the same for language models
_DIVIDE = ", so divide it if you can"
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
        *_repetition(report.exact_duplicates, "repeat an earlier one"),
        *_repetition(report.near_duplicates, "of a sample nearly repeat another"),
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
        yield _error(
            f"The text has hardly any blanks: a word has {report.characters // max(tokens, 1):,} "
            "characters on average, and nothing is learned from such words; put blanks between its "
            "units, for example every six letters of DNA with `sed 's/.\\{6\\}/& /g'`."
        )
        return
    least = report.min_count
    kept = next(each for each in report.coverage if each.min_count == least)
    if not kept.words:
        most = report.frequent_words[0] if report.frequent_words else None
        seen = (
            f"the most frequent, '{most.word[:_LONGEST_WORD]}', {most.count} times"
            if most
            else "there is none"
        )
        yield _error(
            f"No word occurs {least} times ({seen}): add text, or set tokenizer.min_count lower."
        )
    if tokens < _LITTLE:
        yield _warning(
            f"There are only {tokens:,} tokens, too few for any objective to learn more than its "
            "examples; start with a million."
        )
    elif tokens < _VECTORS:
        yield _note(
            f"{tokens:,} tokens are few for word vectors, whose neighbours make sense from about a "
            "million; add text."
        )
    if tokens < _LANGUAGE_MODEL:
        yield _note(
            f"{tokens:,} tokens are few for a masked or causal language model; choose a small one, "
            "or start from a pretrained one."
        )
    if kept.words and kept.token_rate < 0.9:
        yield _note(
            f"With min_count = {least} only {kept.token_rate:.0%} of the tokens are in the "
            "vocabulary; sub-words (fasttext, bpe) suit this corpus better, or a lower min_count."
        )


def _documents(report: CorpusReport, largest: Place, layout: Layout) -> Iterator[Problem]:
    end, suits = report.documents_end, report.settings.get("corpus", {})
    if report.documents == 1:
        other = None if end == "row" or end == "mixed" else layout.smaller_documents(end)
        yield _note(
            "The corpus is a single document, so none can be held out for validation"
            f"{_with(other)}."
        )
        return
    share = report.document_lengths.most / max(report.tokens, 1)
    if share > 0.5:
        other = None if end == "row" or end == "mixed" else layout.smaller_documents(end)
        yield _warning(
            f"One document has {share:.0%} of all tokens; a split by document will be uneven"
            f"{_with(other if suits.get('documents') in (None, other) else None) or _DIVIDE}.",
            largest,
        )
    several = next(each for each in report.prospects if each.objective == "next_sentence")
    number = several.figures["documents"]
    if number < 0.5 * report.documents:
        other = None if end == "row" or end == "mixed" else layout.larger_documents(end)
        while_lines = ""
        if "sentences" in suits and report.reading["corpus"]["sentences"] == "line":
            while_lines = ", as long as a sentence is a line"
        yield _note(
            f"Only {number:,} of {report.documents:,} documents have two sentences or more"
            f"{while_lines}, so next-sentence prediction has little to learn from"
            f"{_with(other if suits.get('documents') in (None, other) else None)}."
        )


def _with(documents: str | None) -> str:
    """Advise another end of documents, where there is one."""
    return "" if documents is None else f"; set corpus.documents = '{documents}'"


def _repetition(found: Duplicates, what: str) -> Iterator[Problem]:
    if found.duplicates:
        yield Problem(
            severity="warning" if found.rate >= _MANY else "note",
            sentence=f"{found.duplicates:,} of {found.documents:,} documents ({found.rate:.1%}) "
            f"{what}{_such_as(found.examples)}; remove them with "
            "`foretext clean`, or the model memorises them.",
            place=found.places[0] if found.places else None,
        )


def _damage(symptoms: Symptoms) -> Iterator[Problem]:
    source = "convert the file again from its source"
    if symptoms.is_of_wrong_encoding:
        rate, where = symptoms.strange.count / symptoms.unusual, symptoms.strange.place
        yield _warning(
            f"{rate:.0%} of the words with letters beyond ASCII are of no language "
            f"('{symptoms.strange.example[:40]}', {where}): the text was read by a wrong encoding; "
            f"set corpus.encoding to the one that it has, or {source}."
        )
    if (sign := symptoms.mojibake).count:
        what = "characters are UTF-8 that was read as another encoding"
        yield _signed("warning", sign, what, f"{source}, or repair it with a program such as ftfy")
    if (sign := symptoms.replacement).count:
        what = "characters are U+FFFD, which replaces bytes that could not be decoded"
        yield _signed("warning", sign, what, source)
    if (sign := symptoms.invisible).count:
        what = "soft hyphens and word joiners, which nobody sees, are in the text"
        advice = "words are joined there, sub-words are not; `foretext clean` removes them"
        yield _signed("note", sign, what, advice)
    if (sign := symptoms.html).count:
        what = "tags or entities of HTML are left in the text"
        yield _signed("warning" if sign.count >= _TAGS else "note", sign, what, "strip them first")


def _proposed(report: CorpusReport, proposals: list[Proposal]) -> Iterator[Problem]:
    """The settings that suit the text and are not in use."""
    for proposal in proposals:
        if report.reading[proposal.section].get(proposal.name) != proposal.value:
            reason = proposal.reason[0].upper() + proposal.reason[1:]
            yield _note(f"{reason}; set {proposal.setting}.")


def _preparation(report: CorpusReport, symptoms: Symptoms) -> Iterator[Problem]:
    if symptoms.is_lower_case:
        yield _note("The text is in lower case already, so names look like other words.")
    if (sign := symptoms.unknown).count:
        what = "rare words have been replaced by <unk>"
        remedy = (
            "vectors and models will know them only as <unk>; tokenizer.unknown_words = ['<unk>'] "
            "leaves it out of word vectors"
        )
        yield _signed("note", sign, what, remedy)
    if (sign := symptoms.labels).count:
        what = "labels of fastText are in the text"
        remedy = "they become words; remove them, for example with `sed 's/__label__[^ ]* *//g'`"
        yield _signed("warning" if sign.count >= _TAGS else "note", sign, what, remedy)
    main, *others = list(report.scripts.items()) or [("no", 0.0)]
    if others and others[0][1] >= 0.1:
        yield _note(
            f"Scripts are mixed: {main[1]:.0%} of the letters are {main[0]}, {others[0][1]:.0%} "
            f"{others[0][0]}; they share one vocabulary."
        )
    if report.reading["tokenizer"]["pre_tokenizer"] in DROPPING:
        setting = f"tokenizer.pre_tokenizer = '{KEEPING}'"
        if (sentence := symptoms.symbols.sentence("lines", setting)) is not None:
            yield _note(f"{sentence}.")
    if report.counted_rate < 1:
        yield _note(
            "Words are those of jieba, which is slow: they were counted in "
            f"{report.counted_rate:.0%} of the text, from which all figures of words follow."
        )
    traditional = traditional_rate(symptoms.characters)
    if traditional is not None and _BOTH_WAYS <= traditional <= 1 - _BOTH_WAYS:
        yield _note(
            f"Chinese is written in two ways: {1 - traditional:.0%} of the characters that differ "
            f"are simplified, {traditional:.0%} traditional, and make two words of one; convert "
            "the text to one of them, for example with OpenCC."
        )


def _form(report: CorpusReport, long_lines: list[Place]) -> Iterator[Problem]:
    if long_lines:
        number = "A line is" if len(long_lines) == 1 else f"{len(long_lines):,} lines are"
        yield _note(
            f"{number} longer than {LONGEST_LINE:,} characters and split at spaces.",
            long_lines[0],
        )
    for file in report.files:
        if not file.documents and not any(
            problem.place and problem.place.file == file.name for problem in report.problems
        ):
            yield _warning(f"{file.name} contains no text.", Place(file=file.name))


def _signed(severity: Literal["warning", "note"], sign: Sign, what: str, remedy: str) -> Problem:
    sentence = f"{sign.count:,} {what}{_such_as([sign.example])}; {remedy}."
    return Problem(severity=severity, sentence=sentence, place=sign.place)


def _such_as(examples: list[str]) -> str:
    return f" (such as '{examples[0]}')" if examples and examples[0] else ""


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
        sentence=f"{words:,} words occur at least {_MIN_COUNT} times ({tokens:,} tokens); a window "
        f"of random size from 1 to {_WINDOW} gives at most {pairs:,} pairs in an epoch.",
    )


def _glove(sentence_lengths: Mapping[int, int]) -> Prospect:
    pairs = sum(
        number * pairs_in_window(length, _WINDOW) for length, number in sentence_lengths.items()
    )
    return Prospect(
        objective="glove",
        figures={"co_occurrences": pairs},
        sentence=f"{pairs:,} co-occurrences within {_WINDOW} words are counted before they are "
        "added up cell by cell.",
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
        sentence=f"A token is the sum of {mean:.1f} character n-grams of length 3 to 6 on average.",
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
        sentence=f"Roughly {subwords:,} sub-words fill {sequences:,} sequences of {_LENGTH}, of "
        f"which {round(subwords * _MASK_RATE):,} sub-words are predicted in an epoch.",
    )


def _causal(tokens: int) -> Prospect:
    subwords = round(tokens * _SUBWORDS_A_WORD)
    sequences = -(-subwords // _LENGTH)
    return Prospect(
        objective="causal",
        figures={"subwords": subwords, "sequences": sequences, "predictions": subwords},
        sentence=f"Roughly {subwords:,} sub-words fill {sequences:,} sequences of {_LENGTH}, each "
        "predicted once in an epoch.",
    )


def _next_sentence(sentences_a_document: Mapping[int, int]) -> Prospect:
    documents = sum(sentences_a_document.values())
    several = sum(number for count, number in sentences_a_document.items() if count > 1)
    pairs = sum((count - 1) * number for count, number in sentences_a_document.items())
    sentence = (
        f"{several:,} of {documents:,} documents have two sentences or more, which gives "
        f"{pairs:,} pairs of neighbours"
    )
    if several < 2:
        sentence += "; there must be two, because negative pairs need another document"
    return Prospect(
        objective="next_sentence",
        figures={"documents": several, "pairs": pairs},
        sentence=f"{sentence}.",
    )
