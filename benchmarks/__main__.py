"""``python -m benchmarks [NAME...]``: measure, print the table and keep it in results/."""

from __future__ import annotations

import importlib
import sys
from datetime import date
from pathlib import Path

from benchmarks.harness import machine

NAMES = (
    "word2vec",
    "glove",
    "fasttext",
    "fasttext_supervised",
    "doc2vec",
    "data_parallel",
    "subwords",
    "encoding",
    "neighbors",
    "near_duplicates",
    "cost_laws",
    "search",
    "pretraining",
    "gpu_pretraining",
    "two_processes",
    "electra",
    "encoder_decoder",
    "time_to_loss",
    "finetuning",
    "prediction",
    "embedding",
    "busy",
    "static_embedding",
    "serving",
    "generation",
    "decoding",
    "lstm_lm",
    "crf",
    "first_run",
    "suggestion",
    "few_labels",
    "few_tags",
    "beyond_memory",
    "peaks",
    "limits",
)
HEADER = ["work", "peer", "peer's figure", "ours", "ratio (spread)", "to be met"]
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the benchmarks of the given names, or all."""
    names = sys.argv[1:] or NAMES
    for name in names:
        if name not in NAMES:
            sys.exit(f"there is no benchmark '{name}'; there are: {', '.join(NAMES)}.")
    for name in names:
        module = importlib.import_module(f"benchmarks.{name}")
        lines = [f"# {name}", "", f"{machine(module.PACKAGES)}; {date.today().isoformat()}.", ""]
        header = vars(module).get("HEADER", HEADER)  # a table that compares no two programs
        lines += [_line(header), _line(["---"] * len(header))]
        print("\n".join(lines), flush=True)
        for row in module.rows():
            lines.append(_line(row.cells()))
            print(lines[-1], flush=True)
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
