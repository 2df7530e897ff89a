"""Autoencoders as estimators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from foretext.base.arguments import checked_arguments
from foretext.base.config import duration_seconds
from foretext.base.errors import SettingError, did_you_mean
from foretext.base.not_fitted import not_fitted
from foretext.base.parameters import Parameters, estimator_tags, keeping
from foretext.data.images import scaled_examples
from foretext.estimators.examples import checked_examples
from foretext.estimators.output import ChosenOutput, in_container
from foretext.estimators.vector_estimator import refuse_folder
from foretext.pretraining.job import Sources
from foretext.pretraining.pretraining import run_recipe
from foretext.recipe import Recipe

if TYPE_CHECKING:
    from foretext.language_model.codec import Codec

__all__ = ["Autoencoder"]

Kind = Literal["convolutional", "denoising", "linear"]


class Autoencoder(Parameters, ChosenOutput):
    """Codes of few numbers, from which examples can be reconstructed.

    A setting that is None is as the kind has it: ``learning_rate`` 6e-3 of the convolutional
    network, 2e-3 of the others; ``noise`` "masking" of the denoising one, "none" of the others;
    ``hidden_dim`` 512, of the denoising one alone; ``bias`` True, ``activation`` and
    ``decoder_activation`` "none", of the linear one alone.

    Args:
        kind: "convolutional" for images, "linear", or "denoising", which is dense.

    >>> Autoencoder("linear", dim=8)
    Autoencoder(kind='linear', dim=8)
    """

    RECIPES: ClassVar[dict[str, str]] = {
        "convolutional": "autoencoder",
        "denoising": "denoising-autoencoder",
        "linear": "linear-autoencoder",
    }
    _codec: Codec | None = None
    _history: list[dict[str, Any]] = []  # noqa: RUF012  replaced by fit, never changed

    @keeping
    def __init__(
        self,
        kind: Kind = "convolutional",
        *,
        dim: int | None = 32,
        hidden_dim: int | None = None,
        bias: bool | None = None,
        activation: Literal["none", "relu", "sigmoid", "tanh"] | None = None,
        decoder_activation: Literal["none", "relu", "sigmoid", "tanh"] | None = None,
        noise: Literal["none", "gaussian", "masking"] | None = None,
        noise_std: float = 0.3,
        mask_rate: float = 0.3,
        valid_rate: float = 0.01,
        epochs: float = 10.0,
        steps: int | None = None,
        budget_seconds: float | None = None,
        batch_examples: int = 128,
        batch_tokens: int | None = None,
        short_row_rate: float = 0.0,
        stacking_rate: float = 0.0,
        micro_batch_examples: int | None = None,
        optimizer: Literal["adamw", "muon"] = "adamw",
        learning_rate: float | None = None,
        schedule: Literal["linear", "cosine", "inverse_sqrt", "constant"] = "linear",
        warmup_rate: float = 0.06,
        final_rate: float = 0.0,
        weight_decay: float = 0.0,
        beta1: float = 0.9,
        beta2: float = 0.98,
        eps: float = 1e-06,
        clip_norm: float | None = 1.0,
        layer_decay: float = 1.0,
        head_rate: float = 1.0,
        freeze: Literal["none", "vectors", "embeddings", "backbone"] = "none",
        freeze_layers: int = 0,
        frozen_states_gb: float = 2.0,
        device: Literal["auto", "cpu", "cuda", "mps"] = "auto",
        precision: Literal["auto", "bf16", "fp32"] = "fp32",
        compile: bool = False,
        gradient_checkpointing: bool = False,
        sharding: Literal["none", "optimizer", "full"] = "none",
        valid_steps: int | None = None,
        patience: int | None = None,
        keep: Literal["last", "best"] = "last",
        checkpoint_seconds: float = 300.0,
        checkpoints_kept: int = 1,
        tensorboard: bool = False,
        seed: int = 1,
    ) -> None: ...

    @property
    def recipe(self) -> Recipe:
        """The settings, section by section."""
        chosen = self.chosen()
        kind = chosen.pop("kind", "convolutional")
        if not isinstance(kind, str) or kind not in self.RECIPES:
            hint = did_you_mean(kind, self.RECIPES) or f" There are: {', '.join(self.RECIPES)}."
            raise SettingError(f"kind = '{kind}': there is no such autoencoder.{hint}")
        return Recipe.from_settings(self.RECIPES[kind], chosen)

    @property
    def is_fitted(self) -> bool:
        """Whether there is a codec."""
        return self._codec is not None

    @property
    def codec(self) -> Codec | None:
        """What was learned last; None: nothing yet."""
        return self._codec

    @property
    def history(self) -> list[dict[str, Any]]:
        """Records of the last training."""
        return self._history

    @classmethod
    @checked_arguments
    def load(cls, run: str | Path) -> Self:
        """Open the folder of a run.

        Raises:
            VectorFileError: it holds no finished run of an autoencoder.
            ModelFileError: a file is damaged.
            UntrustedError: it names code from outside foretext.
        """
        from foretext.language_model.codec import Codec

        codec = Codec.load(run)
        recipe = Recipe.of_run(Path(run) / "recipe.toml")
        kinds = {Recipe.load(name).name: kind for kind, name in cls.RECIPES.items()}
        known, sections = cls.defaults(), recipe.all_settings().values()
        settings = {
            name: section[name] for section in sections for name in section if name in known
        }
        estimator = cls(cast(Kind, kinds[recipe.name]), **settings)
        estimator._codec = codec
        return estimator

    @checked_arguments
    def fit(
        self,
        examples: Sources | ArrayLike,
        y: object = None,
        *,
        out: str | Path | None = None,
        budget: str | float | None = None,
        overwrite: bool = False,
        resume: bool = False,
        quiet: bool | None = None,
    ) -> Self:
        """Learn from an array (N, ...), or from files of images; keep the run in `out`.

        Whole numbers from 0 to 255 are read as pixels and divided by 255, as they are from files.

        Args:
            examples: the array, or the files.
            y: has no effect; pipelines of scikit-learn give it.
            out: a folder to keep the run in, or None to keep nothing but the result.
            budget: wall-clock time of everything, ``"30s"``, in place of `budget_seconds`.
            overwrite: replace the run in `out`.
            resume: continue the unfinished run in `out`.
            quiet: show no progress; None: show it on a terminal and in a notebook.

        Raises:
            ForetextError: the examples, a setting or the folder will not do; the message says why.
        """
        refuse_folder(y)
        source = cast(Sources, checked_examples(examples))  # of an array alone, no other learns
        recipe = self.recipe
        learned = run_recipe(
            recipe,
            source,
            out,
            budget=recipe.parts["training"].settings()["budget_seconds"]
            if budget is None
            else duration_seconds(budget),
            overwrite=overwrite,
            resume=resume,
            quiet=quiet,
        )
        self._codec, self._history = cast("Codec", learned.model), learned.history
        return self

    @checked_arguments
    def fit_transform(self, examples: ArrayLike, y: object = None) -> NDArray[np.float32]:
        """Learn from an array (N, ...), and return the codes (N, K)."""
        return self.fit(examples, y).transform(examples)

    @checked_arguments
    @in_container
    def transform(self, examples: ArrayLike) -> NDArray[np.float32]:
        """Return the codes (N, K) of examples (N, ...).

        Raises:
            SettingError: nothing was learned yet, or the examples have another shape.
        """
        return self._fitted().encode(self._known(examples))

    @checked_arguments
    def inverse_transform(self, codes: ArrayLike) -> NDArray[np.float32]:
        """Return the examples (N, ...) that codes (N, K) stand for.

        Raises:
            SettingError: nothing was learned yet, or the codes have another number of numbers.
        """
        return self._fitted().decode(codes)

    @checked_arguments
    def score(self, examples: ArrayLike, y: object = None) -> float:
        """Return the share of the examples' variance that reconstructions keep, at most 1 (R²)."""
        array = scaled_examples(self._known(examples))
        variance = float(array.var(axis=0, dtype=np.float64).mean())
        error = self._fitted().squared_error(array)
        return 1 - error / variance if variance else float(error == 0)

    @checked_arguments
    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return a name for each number of a code, (K,): "autoencoder0", "autoencoder1", ..."""
        size = self._fitted().network.code_size
        return np.array([f"autoencoder{number}" for number in range(size)], dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Numbers of an example, where it is a row of a table.

        Raises:
            AttributeError: examples are images.
        """
        shape = self._fitted().shape
        if len(shape) != 1:
            raise AttributeError(f"Examples of shape {shape} have no number of columns.")
        return int(shape[0])

    def _known(self, examples: ArrayLike) -> Any:
        """Return examples, of which rows of a table have as many columns as those of `fit`."""
        shape = self._fitted().shape
        num_features = shape[0] if len(shape) == 1 else None
        return checked_examples(examples, type(self).__name__, num_features)

    def __sklearn_tags__(self) -> Any:
        return estimator_tags("transformer", of_texts=False)

    def _fitted(self) -> Codec:
        if self._codec is None:
            raise not_fitted("This autoencoder has learned nothing yet; call fit first.")
        return self._codec
