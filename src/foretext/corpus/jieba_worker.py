"""A process that cuts Chinese text: ``python -P -m foretext.corpus.jieba_worker separate``.

It is asked by ``[text]``. With ``separate`` it returns the text with blanks between its words, with
``mark`` the marks of `mark_words`.
"""

from __future__ import annotations

import sys
from typing import Literal

from foretext.base.workers import Service, read_values
from foretext.corpus.chinese_words import mark_words, separate_words

__all__ = ["WORKS", "Work"]

Work = Literal["separate", "mark"]
WORKS = {"separate": separate_words, "mark": mark_words}


def _main() -> None:
    work = WORKS[sys.argv[1]]
    Service().run(read_values, lambda values: work(*values))


if __name__ == "__main__":
    _main()
