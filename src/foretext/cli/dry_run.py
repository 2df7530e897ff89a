"""What ``foretext plan --dry-run`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foretext.base.terminal import say
from foretext.cli.shared import print_json, print_table

if TYPE_CHECKING:
    from foretext.pretraining.plan.dry_run import DryRun
    from foretext.recipe import Recipe

__all__ = ["show_dry_runs"]

COLUMNS = ["sharding", "weights", "gradients", "optimizer", "activations", "in all", "fits"]


def show_dry_runs(
    recipe: Recipe,
    *,
    device: str = "h100",
    processes: int = 1,
    utilization: float = 0.4,
    as_json: bool = False,
) -> None:
    """Print what a training needs on devices that are not here."""
    from foretext.pretraining.planning import dry_runs_of
    from foretext.progress.bar import human_count, human_seconds

    recipe, found = dry_runs_of(recipe, device, processes, utilization)
    if as_json:
        print_json({"recipe": recipe.name, "dry_runs": [each.as_dict() for each in found]})
        return
    first = found[0]
    say(
        f"{recipe.name}: {human_count(first.parameters)} parameters in {processes} "
        f"{'process' if processes == 1 else 'processes'}, one {device} each; nothing was measured"
    )
    columns = [*COLUMNS, "tokens/s", "network", "1 billion tokens"]
    rows = [
        [
            *_memory(each),
            human_count(each.tokens_per_second),
            f"{each.network_seconds / each.step_seconds:.0%}",
            human_seconds(1e9 / each.tokens_per_second),
        ]
        for each in found
    ]
    print_table(columns, rows)
    say(
        f"a step: {human_count(first.step_tokens)} tokens; memory is of each device; speed is "
        f"{utilization:.0%} of the device's (--utilization), less where batches are small"
    )


def _memory(each: DryRun) -> list[str]:
    from foretext.progress.bar import human_bytes

    kept = each.bytes
    parts = (kept.weights, kept.gradients, kept.optimizer, kept.activations, each.total_bytes)
    return [each.sharding, *map(human_bytes, parts), "yes" if each.fits else "no"]
