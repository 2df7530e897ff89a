"""What the training loop asks of a network: the base of every backbone."""

from __future__ import annotations

import re
from abc import ABC

from torch import nn

from foretext.base.errors import SettingError
from foretext.data.batch import Visibility
from foretext.nn.flops import Flops

__all__ = ["Trainable"]


class Trainable(nn.Module, ABC):
    """A network under an objective. Every answer has a default; a network says what differs.

    Layers that stand in a `ModuleList` named `blocks` need no `layer_of` and no
    `matrices_for_muon`: the defaults find them there.
    """

    visibilities: frozenset[Visibility]  # attention masks that it can honour
    reads_source: bool = False  # whether it needs `Inputs.source`, as an encoder-decoder does
    keeps_fp32: bool = False  # whether it cannot compute in bfloat16
    num_layers: int = 1  # without the embeddings
    stacks_layers: bool = False  # whether `use_layers` works
    # Whether several processes can keep a part of each weight: those of `blocks` are then gathered
    # for the forward pass of one block at a time.
    can_be_shared_out: bool = True

    @property
    def depth(self) -> int:
        """How many layers compute for a row, those of all its parts."""
        return self.num_layers

    @property
    def embedding(self) -> nn.Parameter | None:
        """The token vectors, (V, E); None: it reads no tokens."""
        return None

    def layer_of(self, parameter_name: str) -> int:
        """Return the layer of a parameter: 0 = embeddings, 1 = the first layer, and so on.

        What follows the last layer belongs to it. Used to freeze layers and by `layer_decay`.
        """
        match = re.match(r"blocks\.(\d+)\.", parameter_name)
        return int(match[1]) + 1 if match else max(self.num_layers, 1)

    def use_layers(self, num: int) -> None:
        """From now on compute the first `num` layers alone, if it `stacks_layers`.

        The heads read what these give.
        """
        raise NotImplementedError(type(self).__name__)

    def stacked_weights(self, num: int) -> dict[str, str]:
        """Return the names of weights above the first `num` layers, and of those they begin with.

        Layer i takes over from layer i - num (Gong et al. 2019, "Efficient Training of BERT by
        Progressively Stacking"). A weight that the lower layer does not have is not named.
        """
        names = {name for name, _ in self.named_parameters()}
        found = dict[str, str]()
        for name in names:
            match = re.match(r"blocks\.(\d+)(\..+)", name)
            if match and int(match[1]) >= num:
                source = f"blocks.{int(match[1]) - num}{match[2]}"
                if source in names:
                    found[name] = source
        return found

    def matrices_for_muon(self) -> dict[str, int]:
        """Return the names of the weights that Muon moves, and how many matrices share each.

        A weight that computes queries, keys and values at once holds 3 matrices.
        """
        linear = (name for name, module in self.named_modules() if isinstance(module, nn.Linear))
        return {f"{name}.weight": 1 for name in linear if name.startswith("blocks.")}

    def flops(self) -> Flops | None:
        """Return the operations of a training step, with the parameters frozen that are so now.

        None: no formula is known, and no utilization is reported.
        """
        return None

    def recompute_layers(self) -> None:
        """From now on compute layers again in the backward pass, to save memory.

        Raises:
            SettingError: it cannot do so.
        """
        raise SettingError(
            f"[training] gradient_checkpointing: {type(self).__name__} cannot compute its layers "
            "again; leave it out."
        )
