"""A writer of texts in use: what texts become, n best outputs, and how good they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, cast

from foretext.base.arguments import checked_arguments
from foretext.base.errors import CorpusError, SettingError
from foretext.data.framing import Framing
from foretext.data.padded_examples import PaddedExamples
from foretext.data.rows import Input, ParallelText
from foretext.data.rows.given import given_texts, one_or_each
from foretext.data.rows.parallel import ParallelConfig
from foretext.generation import Decoding, Output, decode
from foretext.heads.base import TaskBase
from foretext.heads.text_to_text import TextToTextHead
from foretext.shown import Part
from foretext.tasks.explanation import Texts
from foretext.tasks.model import TaskModel
from foretext.tasks.predictor import Record
from foretext.tasks.text_to_text.alignments import Alignment, text_alignment, text_alignments
from foretext.tasks.text_to_text.answers import TextAnswer, TextAnswers
from foretext.tasks.text_to_text.examples import encode_sources, pair_examples
from foretext.tasks.text_to_text.reference_losses import reference_losses
from foretext.tasks.text_to_text.showing import writing_parts
from foretext.tasks.text_to_text.task import TextToText
from foretext.tasks.top import Top
from foretext.tokenizers.known_languages import languages_of_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer

__all__ = ["TextAnswer", "TextWriter"]

DECODING = (  # settings of the task that are those of a search
    "num_beams", "min_new_tokens", "length_penalty", "length_norm", "early_stopping",
    "no_repeat_ngram_size",
)  # fmt: skip


class TextWriter(TaskModel):
    """A source to the text that it becomes.

    Attributes:
        decoding: how outputs are searched for; `answering` changes it.
    """

    task: ClassVar = TextToText()
    head: TextToTextHead
    answers_in_int8 = False  # tokens are written by weights in bfloat16

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        config = self.head.config
        chosen = {name: getattr(config, name) for name in DECODING}
        most = self.head.max_new_tokens
        self.decoding = Decoding.checked({**chosen, "max_new_tokens": most}, "task")

    @classmethod
    def begin(cls, base: TaskBase, config: Any, rows: Sequence[ParallelText]) -> Self:
        """Put the head of the base's objective on it, and note how long targets are."""
        tokenizer = base.target_tokenizer or base.tokenizer
        found = cls.task.find(rows)
        longest = max(map(len, tokenizer.encode_batch([row.target for row in rows])))
        if config.redraw_cross_attention:
            base.backbone.redraw_cross_attention()
        return cls(base, cls.task.head(config, base, longest=longest, **found))

    @property
    def usage(self) -> str:
        """Lines of Python that show how to ask `model`."""
        return (
            'model.predict(["a text"])\n'
            'model.predict_top(["a text"], 3)  # with scores, the best one first'
        )

    @property
    def judged_by(self) -> str:
        """The figure by which one model is better than another."""
        chosen: str = self.head.config.judged_by
        return "chrf" if chosen == "loss" else chosen

    @property
    def is_chosen_by_loss(self) -> bool:
        """Whether held-out loss decides which weights are kept, so that nothing is decoded."""
        return bool(self.head.config.judged_by == "loss")

    def knows(self, row: ParallelText) -> bool:
        """Whether neither text is empty."""
        return row.is_whole

    @property
    def languages(self) -> list[str]:
        """Codes of known languages; that by which the column of the sources is named is first.

        The vocabulary of both sides together knows the language of the targets as well.
        """
        source = cast(ParallelConfig, self.reading_of(None)).source
        return sorted(languages_of_tokenizer(self.tokenizer), key=lambda code: code != source)

    def answering(self, options: Mapping[str, Any]) -> None:
        """Search for outputs with other settings from now on.

        Args:
            options: of `foretext.generation.Decoding`.
        """
        self.decoding = self._decoding(options)

    @checked_arguments
    def predict(self, texts: Any, **options: Any) -> Any:
        """Return what each text becomes.

        Args:
            texts: sources; a single one gets a single answer.
            options: settings of `foretext.generation.Decoding`, such as ``num_beams=8``.

        Raises:
            CorpusError, SettingError: as of `predict_top`.
        """
        return one_or_each(
            texts,
            lambda each: [outputs[0].text for outputs in self.predict_top(each, 1, **options)],
        )

    @checked_arguments
    def predict_top(
        self,
        texts: Any,
        k: int = 5,
        *,
        pause: Callable[[], None] | None = None,
        **options: Any,
    ) -> Any:
        """Return `k` outputs of each text with their scores, the best one first.

        Args:
            texts: sources; a single one gets a single list.
            k: outputs of each; a beam has as many hypotheses, at least.
            pause: is called before each token, so that other work can have its turn.
            options: settings of `foretext.generation.Decoding`, such as ``temperature=0.8``.

        Raises:
            CorpusError: something is no text, or too long, and ``task.long_sources`` is "refuse".
            SettingError: there is no such setting.
        """
        decoding = self._decoding({"num_best": k, **options})
        return one_or_each(
            texts, lambda each: self._written(given_texts(each), decoding, pause=pause)
        )

    @property
    def abilities(self) -> tuple[str, ...]:
        """What a server can ask of it, by names of `foretext.serving.abilities`."""
        own = ("predict", "translate", "tokenize", "decode")
        return (*own, "alignment") if self.aligns else own

    @property
    def aligns(self) -> bool:
        """Whether an output can be aligned with its source: the model looks at an encoder."""
        return self.head.needs_source and self.base.backbone.has_cross_attention

    @checked_arguments
    def alignment(self, source: str, output: str) -> Alignment:
        """Return which words of a source each word of an output looks at, by cross-attention.

        Raises:
            SettingError: the model has no encoder, or no attention to it.
        """
        if not self.head.needs_source:
            raise SettingError(
                "alignment needs a model with an encoder; this one reads source and output as one "
                "text: use the outputs alone."
            )
        if not self.aligns:
            raise SettingError(
                "alignment needs attention to the source, and this model was learned with "
                "backbone.attention = 'none': use the outputs alone."
            )
        return text_alignment(self.network().backbone, self.base, self.head, source, output)

    def examples(self, rows: Sequence[ParallelText]) -> PaddedExamples:
        """Return rows as examples, without those that lack a text.

        Raises:
            CorpusError: no row is left, or a source is too long and shall be refused.
        """
        known = [row for row in rows if self.knows(row)]
        if not known:
            raise CorpusError(f"None of {len(rows):,} rows has both a source and a target.")
        return pair_examples(self.base, self.head, known)

    def num_cut(self, rows: Sequence[ParallelText]) -> int:
        """Return the number of rows whose source is cut."""
        return sum(encode_sources(self.base, self.head, [row.source for row in rows]).is_cut)

    def answer_rows(self, rows: Sequence[ParallelText]) -> TextAnswers:
        """Return what each source becomes, and how probable the right targets are.

        While the network learns, outputs are decoded greedily.
        """
        found = self._outputs_of(rows)
        return TextAnswers(found, judged_by=self.judged_by, align=self._alignments)

    def _outputs_of(self, rows: Sequence[ParallelText]) -> list[TextAnswer]:
        sources, places = [row.source for row in rows], [row.place for row in rows]
        if self._is_in_training:
            greedy = self.decoding.model_copy(update={"num_beams": 1, "num_best": 1})
            return [outputs[0] for outputs in self._written(sources, greedy, places)]
        found = [outputs[0] for outputs in self._written(sources, self.decoding, places)]
        whole = [number for number, row in enumerate(rows) if self.knows(row)]
        if whole:
            examples = pair_examples(self.base, self.head, [rows[number] for number in whole])
            losses = reference_losses(self.network(), examples)
            for number, (loss, num_tokens) in zip(whole, losses, strict=True):
                found[number] = found[number]._replace(loss=loss, num_tokens=num_tokens)
        return found

    def _alignments(
        self, rows: Sequence[ParallelText], outputs: Sequence[str]
    ) -> list[dict[str, Any]]:
        return text_alignments(self.network().backbone, self.base, self.head, rows, outputs)

    def insight(self, texts: Texts) -> list[Part]:
        """Return what is written, and what the network expects and looks at step by step."""
        outputs: list[TextAnswer] = self.predict_top(texts[0], max(self.decoding.num_beams, 1))
        return writing_parts(self.exact_network(), self.base, texts[0], outputs)

    def options(self, k: int | None, threshold: float | None) -> Top:
        """Return how many outputs are wanted.

        Raises:
            SettingError: a threshold is given; scores are no probabilities of answers.
        """
        if threshold is not None:
            raise SettingError("--threshold has no effect on text to text; leave it out.")
        return Top(k or self.decoding.num_best)

    def records(self, inputs: Sequence[Input], top: Top) -> list[Record]:
        """Return the outputs of each source with their scores."""
        chosen = self._decoding({"num_best": top.k})
        found = self._written([source for (source,) in inputs], chosen)
        return [{"outputs": [output.record() for output in outputs]} for outputs in found]

    def shown(self, record: Record) -> str:
        """Return the output, or several with their scores, a tab, and the source."""
        outputs = [(each["score"], _in_one_line(each["text"])) for each in record["outputs"]]
        if len(outputs) == 1:
            written = outputs[0][1]
        else:
            written = "  ".join(f"{text} {score:.4f}" for score, text in outputs)
        return f"{written}\t{_in_one_line(record['source'])}"

    def doubts(self, records: Sequence[Record]) -> list[str]:
        """Return how many sources were cut, and how many outputs never ended."""
        found = []
        sources = [record["source"] for record in records]
        if self.head.config.long_sources == "warn":
            num_cut = sum(encode_sources(self.base, self.head, sources).is_cut)
            if num_cut:
                found.append(
                    f"{num_cut:,} of {len(records):,} sources are longer than the model reads "
                    f"({self.head.source_room:,} tokens), and their ends were not read"
                )
        unfinished = sum(not record["outputs"][0]["ended"] for record in records)
        if unfinished:
            found.append(
                f"{unfinished:,} of {len(records):,} outputs did not end by themselves and were "
                f"stopped at {self.decoding.max_new_tokens:,} tokens; raise --max-new-tokens, or "
                "train longer"
            )
        return found

    @property
    def text_framing(self) -> Framing:
        """How much of a source is read; what stands around it depends on the network."""
        return Framing([], [], self.head.source_room, [])

    def _decoding(self, options: Mapping[str, Any]) -> Decoding:
        """Return other settings; what was not given suits them: a beam has room for the outputs."""
        chosen = {**self.decoding.model_dump(), **options}
        if "num_beams" not in options:
            found = max(chosen["num_beams"], chosen["num_best"])
            chosen["num_beams"] = 1 if chosen["temperature"] else found
        return Decoding.checked(chosen, "decoding")

    def _written(
        self,
        texts: Sequence[str],
        decoding: Decoding,
        places: Sequence[str] = (),
        pause: Callable[[], None] | None = None,
    ) -> list[list[TextAnswer]]:
        """Return the outputs of each text; an empty one becomes an empty one."""
        sources = encode_sources(self.base, self.head, texts, places).ids
        some = [number for number, text in enumerate(texts) if text.strip()]
        network = self.network()
        outputs = decode(
            network.backbone,
            cast(Any, network.head).head,
            [self.head.reading(sources[number]) for number in some],
            decoding,
            end=self.head.end,
            num_ids=self._writer.vocab_size,
            pause=pause,
        )
        found = [[TextAnswer("", 0.0)] for _ in texts]
        for number, own in zip(some, outputs, strict=True):
            found[number] = [self._answer(output) for output in own]
        return found

    def _answer(self, output: Output) -> TextAnswer:
        tokenizer, unknown = self._writer, self._writer.special.unknown
        kept = [i for i in output.ids if tokenizer.ordinary[i] or i == unknown]
        return TextAnswer(tokenizer.decode(kept).strip(), output.score, output.ended)

    @property
    def _writer(self) -> SubwordTokenizer:
        """The tokenizer of targets."""
        return cast(SubwordTokenizer, self.base.target_tokenizer or self.base.tokenizer)


def _in_one_line(text: str) -> str:
    return " ".join(text.split("\n"))
