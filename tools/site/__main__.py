"""``python -m tools.site``: build the site, check the translations, stamp a Chinese page."""

from __future__ import annotations

import argparse
import sys

from tools.site.translations import PageError, problems, stamp

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Do what the first word says; the exit code is 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("check", help="name missing, stale and differing Chinese pages")
    stamping = verbs.add_parser("stamp", help="say that a Chinese page is up to date")
    stamping.add_argument("pages", nargs="+", metavar="PAGE", help="such as guides/word2vec.md")
    given = parser.parse_args(arguments)
    if given.verb == "check":
        found = list(problems())
        sys.exit("\n".join(found) if found else None)
    for page in given.pages:
        try:
            print(f"stamped {stamp(page)}")
        except PageError as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
