"""``python -m tools.site``: build the site, check the translations, stamp a Chinese page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from tools.site.translations import PageError, problems, stamp
from tools.site.tree import ROOT

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Do what the first word says; the exit code is 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("build", help="write the site into site/, and check it")
    verbs.add_parser("check", help="name missing, stale and differing Chinese pages")
    stamping = verbs.add_parser("stamp", help="say that a Chinese page is up to date")
    stamping.add_argument("pages", nargs="+", metavar="PAGE", help="such as guides/word2vec.md")
    given = parser.parse_args(arguments)
    if given.verb == "build":
        _build()
    elif given.verb == "check":
        _end(problems())
    else:
        _stamp(given.pages)


def _build() -> None:
    """Build the site, and end with what is wrong with it or its pages."""
    from tools.site.building import BuildError, build
    from tools.site.checking import dead_links, foreign_requests, unexecuted_blocks
    from tools.site.inputs import digest_of_inputs, stamp_site

    site = ROOT / "site"
    digest = digest_of_inputs()
    try:
        build(site)
    except BuildError as error:
        sys.exit(str(error))
    stamp_site(site, digest)
    _end([*problems(), *unexecuted_blocks(), *dead_links(site), *foreign_requests(site)])
    print(f"The site is in {site}; open {site / 'index.html'}.")


def _stamp(pages: Iterable[str]) -> None:
    """Stamp the Chinese page of each English one."""
    for page in pages:
        try:
            print(f"stamped {stamp(page)}")
        except PageError as error:
            sys.exit(str(error))


def _end(found: Iterable[str]) -> None:
    """End with exit code 1 where something was found."""
    if said := "\n".join(found):
        sys.exit(said)


if __name__ == "__main__":
    main()
