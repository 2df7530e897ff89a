"""Which networks llama.cpp computes, and their weights under its names.

The weights come from the names of `transformers` (`foretext.interop`), which the tables of the
package `gguf` know. What llama.cpp lays out differently is rearranged here, and arranged back
when a file is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from foretext.base.errors import SettingError
from foretext.interop.conversion import Converted, to_family
from foretext.interop.family import Settings
from foretext.language_model import LanguageModel

__all__ = ["Llamas", "as_llama_cpp_has_it"]

Weights = dict[str, NDArray[np.float32]]
Layout = Callable[[NDArray[np.float32]], NDArray[np.float32]]

POOLINGS = {"mean": 1, "cls": 2}  # as the key `pooling_type` counts them
POSITIONS = "embeddings.position_embeddings.weight"
WIDTHS = {  # keys of llama.cpp: those of `transformers`, of any family
    "embedding_length": ("hidden_size", "n_embd"),
    "block_count": ("num_hidden_layers", "n_layer"),
    "attention.head_count": ("num_attention_heads", "n_head"),
    "feed_forward_length": ("intermediate_size", "n_inner"),
}


@dataclass(frozen=True)
class Architecture:
    """One kind of network of llama.cpp.

    Attributes:
        name: of the file's key ``general.architecture``.
        activations: of ours, that it computes.
        activation_key: of `transformers`, for the sentence that refuses others.
        eps_key: its name of the number that norms add, and theirs.
        transposed: ends of names whose matrices `transformers` stores the other way round.
        rotated: ends of names whose rows rotary positions turn in pairs, not in halves.
    """

    name: str
    activations: frozenset[str]
    eps_key: tuple[str, str]
    transposed: tuple[str, ...] = ()
    rotated: tuple[str, ...] = ()


BERT = Architecture(
    "bert",
    frozenset({"gelu", "gelu_tanh"}),
    ("attention.layer_norm_epsilon", "layer_norm_eps"),
)
GPT2 = Architecture(
    "gpt2",
    frozenset({"gelu", "gelu_tanh"}),
    ("attention.layer_norm_epsilon", "layer_norm_epsilon"),
    transposed=("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight"),
)
LLAMA = Architecture(
    "llama",
    frozenset({"swiglu"}),
    ("attention.layer_norm_rms_epsilon", "rms_norm_eps"),
    rotated=("q_proj.weight", "k_proj.weight", "q_proj.bias", "k_proj.bias"),
)
ARCHITECTURES = {  # by families of `transformers`
    "bert": BERT,
    "roberta": BERT,
    "xlm-roberta": BERT,
    "camembert": BERT,
    "gpt2": GPT2,
    "llama": LLAMA,
}
NAMES = "BERT, RoBERTa, GPT-2 and Llama"


class Llamas(NamedTuple):
    """A network as llama.cpp has it."""

    architecture: Architecture
    keys: Mapping[str, int | float | bool]  # of the file, without the architecture's name
    theirs: Settings  # config.json of `transformers`
    converted: Converted
    first_position: int  # the vectors of positions before it belong to no token

    @property
    def num_layers(self) -> int:
        """Layers of the network."""
        return int(self.keys["block_count"])

    def weights(self) -> Weights:
        """Return the weights under the names of llama.cpp."""
        found: Weights = {}
        for name, weight in self.converted.weights.items():
            values = self._turned(name, weight.float().cpu().numpy(), back=False)
            found[self._renamed(name)] = np.ascontiguousarray(values)
        return found

    def back(self, weights: Weights) -> Weights:
        """Return weights of a file under the names of `transformers`.

        Args:
            weights: under the names of llama.cpp.
        """
        found = {}
        for name in self.converted.weights:
            values = self._turned(name, weights[self._renamed(name)], back=True)
            found[name] = np.ascontiguousarray(values, dtype=np.float32)
        return found

    def _renamed(self, name: str) -> str:
        import gguf

        known = next(
            key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == self.architecture.name
        )
        table = gguf.get_tensor_name_map(known, self.num_layers)
        found = table.get_name(name, try_suffixes=(".weight", ".bias"))
        if found is None:
            raise SettingError(f"llama.cpp has no weight like '{name}', so there is no GGUF of it.")
        return str(found)

    def _turned(self, name: str, values: NDArray[np.float32], *, back: bool) -> NDArray[np.float32]:
        if name.endswith(self.architecture.transposed):
            return values.T
        if self.architecture.rotated and name.endswith(self.architecture.rotated):
            return _in_pairs(values, int(self.keys["attention.head_count"]), back=back)
        if self.first_position and name.endswith(POSITIONS):
            if not back:
                return values[self.first_position :]
            unused = self.converted.weights[name][: self.first_position].float().cpu().numpy()
            return np.concatenate([unused, values])
        return values


def as_llama_cpp_has_it(model: LanguageModel) -> Llamas:
    """Return the network of a model as llama.cpp has it.

    Raises:
        SettingError: it computes no such network.
    """
    backbone, is_writer = model.backbone.for_tasks, model.visibility == "causal"
    converted = to_family(backbone, model.objective if is_writer else None, model.tokenizer)
    family = None if converted is None else converted.family.model_type
    if converted is None or family not in ARCHITECTURES:
        what = type(backbone).__name__ if family is None else f"of the family {family}"
        raise SettingError(
            f"The language model has a network that llama.cpp does not compute ({what}); GGUF "
            f"holds the shapes of {NAMES}. Export it to onnx."
        )
    architecture = ARCHITECTURES[family]
    activation = backbone.config.activation  # type: ignore[attr-defined]
    if activation not in architecture.activations:
        known = " or ".join(sorted(architecture.activations))
        raise SettingError(
            f"The language model has activation = '{activation}', and llama.cpp computes {known} "
            f"in the shape of {architecture.name}; export it to onnx."
        )
    if not is_writer:
        _check_vectors(model)
    theirs = converted.settings
    unused = theirs["pad_token_id"] + 1 if architecture is BERT and family != "bert" else 0
    return Llamas(architecture, _keys(architecture, model, theirs), theirs, converted, unused)


def _check_vectors(model: LanguageModel) -> None:
    """Refuse vectors of texts that llama.cpp would compute differently."""
    if model.pooling not in POOLINGS:
        raise SettingError(
            f"The language model pools by '{model.pooling}', and llama.cpp by "
            f"{' or '.join(POOLINGS)}; export it to onnx."
        )
    if model.dense:
        raise SettingError(
            "The language model has layers after its pooling, which llama.cpp does not compute; "
            "export it to onnx."
        )


def _keys(
    architecture: Architecture, model: LanguageModel, theirs: Settings
) -> dict[str, int | float | bool]:
    """Return what a file says of a network."""
    found: dict[str, int | float | bool] = {
        key: next(theirs[name] for name in names if name in theirs) for key, names in WIDTHS.items()
    }
    key, name = architecture.eps_key
    found |= {
        key: float(theirs[name]),
        "context_length": model.backbone.max_length,
        "vocab_size": model.backbone.vocab_size,
    }
    if architecture is BERT:
        found |= {"attention.causal": False, "pooling_type": POOLINGS[model.pooling]}
    if architecture is LLAMA:
        heads = int(found["attention.head_count"])
        found |= {
            "attention.head_count_kv": heads,
            "rope.freq_base": float(theirs["rope_theta"]),
            "rope.dimension_count": int(found["embedding_length"]) // heads,
        }
    return found


def _in_pairs(values: NDArray[np.float32], num_heads: int, *, back: bool) -> NDArray[np.float32]:
    """Return rows (H x D, ...) of queries or keys, whose halves of a head become pairs."""
    half = len(values) // num_heads // 2
    parts = (half, 2) if back else (2, half)
    split = values.reshape(num_heads, *parts, *values.shape[1:])
    return split.swapaxes(1, 2).reshape(values.shape)
