"""A pretrained language model in use: embed, fill, generate, and look inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import whole_number
from foretext.base.errors import SettingError
from foretext.corpus.blocks import Advance
from foretext.corpus.texts import iterate_texts
from foretext.generation import Sampling
from foretext.language_model.continuation import (
    Continuation,
    NewToken,
    Prompt,
    Stream,
    Writing,
    continue_prompt,
    insert_text,
    prompt_ids,
)
from foretext.language_model.embedding import Layers, Pooling, check_layers, is_last, paired
from foretext.language_model.filling import Filling, fill_masks, fill_spans
from foretext.language_model.insight import (
    AttentionMaps,
    LayerStates,
    OneText,
    attention_of,
    layers_of,
)
from foretext.language_model.likelihood import (
    Likelihood,
    TokenScores,
    measure_likelihood,
    score_rows,
)
from foretext.language_model.parts import ModelParts
from foretext.nn.pooling import through_layers
from foretext.objectives.reading import Reading
from foretext.shown import Shown
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.vectors.text_cosines import paired_cosines, text_cosines
from foretext.vectors.text_embedding import shortened

__all__ = ["LanguageModel"]


class LanguageModel(ModelParts):
    """A tokenizer, a backbone and, where it was pretrained with one, the objective with its heads.

    Args:
        tokenizer: of the texts.
        backbone: moved to the device; it can be trained further, and the verbs follow.
        objective: whose heads fill and generate, or None.
        device: "auto" takes a CUDA device where there is one.
        precision: "auto" embeds in bfloat16 where the device has it, generates by weights in
            bfloat16, and does everything else in float32; "int8" is the same, but embeds by
            products of integers, which only processors with VNNI instructions have.
        pooling: what `embed` does by default.
        dense: layers of a sentence encoder, through which its own pooling goes.
        normalize: whether `embed` gives vectors of length 1 by default.
        text_length: positions that `embed` takes at once, if fewer than the model has.
        visibility: of a backbone without an objective; None: as its tokenizer suggests.
        is_sentence_encoder: whether it was trained so that the cosine of two embeddings says how
            similar two texts are.
    """

    @torch.inference_mode()
    @checked_arguments
    def embed(
        self,
        texts: Any,
        pooling: Pooling | None = None,
        layer: Layers = -1,
        *,
        seconds: str | Sequence[str] | None = None,
        overlap: int | None = None,
        dim: int | None = None,
        normalize: bool | None = None,
        progress: Advance | None = None,
    ) -> NDArray[np.float32]:
        """Return one vector a text, (N, D), or one a pair of texts.

        A text of no tokens gets zeros. One that is longer than the model is cut into windows, whose
        vectors are averaged by their tokens (with pooling "max": the largest is taken).

        Args:
            texts: N strings in a list, a generator, a column, or a table with a column "text"; a
                single one gets a single vector, (D,).
            pooling: "mean" or "max" over all positions, the frame's among them, or "cls", the first
                one; None: the model's own, which is "mean" unless its folder says otherwise. Its
                own pooling of the last layer goes through the `dense` layers of its folder, too.
            layer: 0 is the embeddings, -1 the last layer; of several the mean is taken.
            seconds: N further texts, each read in one row with the text of its place.
            overlap: tokens that a window shares with the next; None: an eighth of it.
            dim: numbers to keep, the first ones; None: all. Shorter vectors get length 1.
            normalize: whether vectors get length 1; None: as the model's folder says, or not.
            progress: advances by the texts that are done.

        Raises:
            SettingError: no such pooling, layer, overlap or dim.
            CorpusError: an element is no text, or a pair is longer than the model.
        """
        if isinstance(texts, str):
            options: Any = {"overlap": overlap, "dim": dim, "normalize": normalize}
            if seconds is not None:
                options["seconds"] = [seconds] if isinstance(seconds, str) else seconds
            single: NDArray[np.float32] = self.embed([texts], pooling, layer, **options)[0]
            return single
        backbone = self._networks.reader().backbone.for_tasks
        layers, found = check_layers(layer, backbone), list(iterate_texts(texts))
        pooling = pooling or self.pooling
        if seconds is None:
            vectors = self._embedder.embed(backbone, found, pooling, layers, overlap, progress)
        else:
            pairs = paired(found, list(iterate_texts(seconds)), overlap)
            vectors = self._embedder.embed_pairs(backbone, pairs, pooling, layers, progress)
        if pooling == self.pooling and is_last(backbone, layers):
            vectors = through_layers(self.dense, vectors)
        if normalize is None:
            normalize = self.normalize or dim is not None
        return shortened(vectors, dim, normalize=normalize)

    @checked_arguments
    def similarity(self, firsts: Any, seconds: Any) -> Any:
        """Return the cosines of all first texts with all second ones, (N, M).

        Vectors that `embed` has given can stand in place of texts. A single text takes its axis
        away: two texts give a number. Of a model that was not trained for it cosines say little;
        `is_sentence_encoder` says whether it was.

        Args:
            firsts: N texts, or their vectors (N, D).
            seconds: M texts, or their vectors (M, D).

        Raises:
            CorpusError: an element is no text.
            SettingError: vectors are not finite, or of another size.
        """
        return text_cosines(self.embed, self._embedding_size, firsts, seconds)

    @checked_arguments
    def similarity_pairwise(self, firsts: Any, seconds: Any) -> Any:
        """Return the cosine of each first text with the second one at the same index, (N,).

        Vectors that `embed` has given can stand in place of texts; two texts give a number.

        Args:
            firsts: N texts, or their vectors (N, D).
            seconds: N texts, or their vectors (N, D).

        Raises:
            CorpusError: an element is no text.
            SettingError: vectors are not finite, or of another size or number.
        """
        return paired_cosines(self.embed, self._embedding_size, firsts, seconds)

    @property
    def _embedding_size(self) -> int:
        return self.dense[-1].weight.shape[0] if self.dense else self.backbone.dim

    @torch.inference_mode()
    @checked_arguments
    def fill(
        self, text: str, topn: int = 5, *, targets: Sequence[str] | None = None
    ) -> list[list[Filling]]:
        """Return the likeliest tokens of each ``[MASK]``, as (token, probability, filled text).

        The tokenizer's own name of the mask works as well. Each mask is filled by itself, while the
        others stay masked. Special tokens are never an answer. A model that writes spans (T5, BART)
        fills a mask with any number of tokens, knowing its likeliest spans of the masks before it;
        T5's ``<extra_id_0>`` is a mask, too. With `targets`, these tokens alone are answers.

        Args:
            text: a text with a ``[MASK]`` or several.
            topn: answers of each mask.
            targets: tokens that alone may be answers; None: all.

        Raises:
            SettingError: the model does not fill masks, or a target is no token; targets, and a
                model that writes spans.
            CorpusError: no mask in the text, or more text than the model sees at once.
        """
        topn = whole_number(topn, "topn", least=1)
        network = self._networks.exact()
        if self.objective is None or not self.objective.writes_spans:
            return fill_masks(network, self.tokenizer, self._framing, text, topn, targets)
        if targets is not None:
            raise SettingError(
                "targets has no effect on a model that writes spans of any length; leave it out."
            )
        return fill_spans(network, self.tokenizer, text, topn)

    @checked_arguments
    def generate(
        self,
        prompt: Prompt = "",
        max_new_tokens: int = 50,
        temperature: float | None = None,
        top_k: int | None = None,
        top_p: float | None = None,
        *,
        source: Prompt | None = None,
        suffix: Prompt | None = None,
        num_samples: int = 1,
        num_beams: int = 1,
        seed: int = 0,
        stop: str | Sequence[str] = (),
        stream: Stream | None = None,
        watch: Callable[[NewToken], object] | None = None,
        topn: int | None = None,
    ) -> list[Continuation]:
        """Generate text after a prompt; an empty prompt begins a new text.

        If a prompt leaves no room for `max_new_tokens`, its newest tokens are read, half of the
        model's length at least; `Continuation.num_forgotten` counts the others. A text that becomes
        longer than the model continues from its newest half.

        Args:
            prompt: the beginning of the text, or its ids, which are taken as they are.
            max_new_tokens: of each sample, at most; the end token ends it earlier.
            temperature: 0 always takes the likeliest token, 1 draws by the model's probabilities;
                None: 0.8, or nothing is drawn where there are several beams.
            top_k: draw from this many likeliest tokens.
            top_p: draw from the likeliest tokens that together have this probability.
            source: a text that the new one follows, such as one to continue or to summarise; it is
                read in both directions. A model with an encoder needs one.
            suffix: a text that follows the new one. A model that writes spans (T5, BART) writes
                what stands between the prompt and it; others cannot.
            num_samples: continuations, computed together.
            num_beams: hypotheses of a beam search for the likeliest continuations; 1: none is
                searched for.
            seed: of the draws; the same call gives the same text.
            stop: a text, or several, that ends a sample.
            stream: is called with each piece of text as soon as it is certain.
            watch: is called with each token of each sample; it ends the writing if it raises.
            topn: likeliest tokens, with log-probabilities, that `watch` gets beside each token;
                None: no log-probabilities are computed.

        Raises:
            SettingError: the model does not continue texts, has learned nothing of sources or needs
                one, writes no spans before a suffix, or a setting has no effect or no such value.
            CorpusError: an empty prompt, and a tokenizer without a token to begin with; an id of
                no token; a source or a suffix that leaves no room for a text.
        """
        if temperature is None:
            temperature = 0.8 if num_beams == 1 else 0.0
        settings = {"temperature": float(temperature), "top_k": top_k, "top_p": top_p}
        writing = Writing(
            max_new_tokens,
            Sampling.checked(settings, "generation"),
            num_samples=num_samples,
            num_beams=num_beams,
            seed=seed,
            stop=[stop] if isinstance(stop, str) else list(stop),
            stream=stream,
            watch=watch,
            topn=topn,
        )
        if suffix is not None:
            if source is not None:
                raise SettingError(
                    "source has no effect beside suffix, which is read with the prompt; leave it "
                    "out."
                )
            return insert_text(self._networks, self.tokenizer, prompt, suffix, writing)
        return continue_prompt(
            self._networks, self.tokenizer, self._framing, prompt, writing, source
        )

    @property
    def learned_length(self) -> int:
        """Tokens that its training has taught the model to read at once."""
        return self._networks.learned_length

    @checked_arguments
    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Return the ids that `generate` continues: those of a text, with what stands before it.

        An empty prompt has the token that a text begins with. Ids are taken as they are.

        Raises:
            CorpusError: as of `generate`.
        """
        reading = Reading() if self.objective is None else self.objective.reading()
        return prompt_ids(self.tokenizer, self._framing, reading, prompt)

    @torch.inference_mode()
    @checked_arguments
    def likelihood(self, texts: str | Sequence[str], *, stride: int | None = None) -> Likelihood:
        """Return the loss of documents that are read as one stream, by tokens, words and bytes.

        Args:
            texts: documents; the end token follows each of them and is predicted, too.
            stride: tokens that a window predicts, having seen the others; None: half of the
                model's length.

        Raises:
            SettingError: the model is not causal, or has no such stride.
            CorpusError: there is no text.
        """
        documents = [texts] if isinstance(texts, str) else texts
        return measure_likelihood(self._networks.exact(), self.tokenizer, documents, stride=stride)

    @checked_arguments
    def perplexity(self, texts: str | Sequence[str], *, stride: int | None = None) -> float:
        """Return the perplexity per token; `likelihood` has it per word, and bits a byte.

        Args:
            texts: one text or several.
            stride: tokens that a window predicts; None: half of the model's length.
        """
        return self.likelihood(texts, stride=stride).perplexity

    @checked_arguments
    def token_scores(self, rows: Sequence[Sequence[int]], topn: int = 0) -> list[TokenScores]:
        """Return the log-probability of each token of some texts, given the tokens before it.

        Nothing is put around the ids: begin a row with the end token, as `likelihood` does, where
        the first token of the text is to be scored, too.

        Args:
            rows: ids of the tokenizer, a row each.
            topn: the likeliest tokens to return at each place.

        Raises:
            SettingError: the model is not causal.
            CorpusError: an id is none of the tokenizer, a row has none, or is longer than the
                model; a model that carries its state reads any length.
        """
        return score_rows(self._networks.exact(), rows, self.tokenizer.vocab_size, topn)

    @torch.inference_mode()
    @checked_arguments
    def layers(self, text: str, second: str | None = None) -> LayerStates:
        """Return the states of a text's tokens after each layer, (L + 1, T, D), embeddings first.

        With `second`, both texts are read in one row.

        Args:
            text: the text.
            second: a second text; None: there is one only.

        Raises:
            CorpusError: the text is empty, or longer than the model.
        """
        return layers_of(self._networks.exact().backbone.for_tasks, self._one_text(text, second))

    @torch.inference_mode()
    @checked_arguments
    def attention_maps(self, text: str, second: str | None = None) -> AttentionMaps:
        """Return the attention weights of a text's tokens, by layer and head, (L, H, T, T).

        With `second`, both texts are read in one row.

        Args:
            text: the text.
            second: a second text; None: there is one only.

        Raises:
            CorpusError: the text is empty, or longer than the model.
            SettingError: the backbone has no attention.
        """
        return attention_of(self._networks.exact().backbone.for_tasks, self._one_text(text, second))

    @checked_arguments
    def show(self, texts: Sequence[str]) -> list[Shown]:
        """Return what the model makes of each text: tokens, what it expects, layers, attention.

        A tab separates the texts of a pair, or a source from the text after it.

        Raises:
            CorpusError: a text is empty.
        """
        from foretext.language_model.showing import TextsInModel

        with torch.inference_mode():
            return TextsInModel(self).shown(texts)

    def _one_text(self, text: str, second: str | None) -> OneText:
        reader = cast(SubwordTokenizer, self.as_base().reader())
        return OneText.of(
            text,
            reader,
            self._framing,
            self.visibility,
            self._networks.device,
            second,
            self.backbone.num_segments,
        )
