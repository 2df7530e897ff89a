"""The guides for people from other packages have each name that they call, and ours exist.

What is public in a package and only its own parts call stands in `INTERNAL`, not on a page.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

import foretext as ft
from foretext.cli.app import app

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
KINDS = {"same", "other", "no"}


@cache
def tables() -> dict[str, list[list[str]]]:
    """Return the rows of the table under each heading of the guides."""
    found: dict[str, list[list[str]]] = {}
    for guide in sorted(GUIDES.glob("coming-from-*.md")):
        heading = ""
        for line in guide.read_text("utf-8").splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif line.startswith("| `"):
                cells = [cell.strip() for cell in line.strip("|").split(" | ")]
                found.setdefault(heading, []).append(cells)
    return found


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def public(*classes: type, beside: type = object) -> set[str]:
    return {
        name
        for each in classes
        for name in dir(each)
        if not name.startswith("_") and not hasattr(beside, name)
    }


def settings(*classes: Any) -> set[str]:
    return {name for each in classes for name in inspect.signature(each.__init__).parameters} - {
        "self"
    }


def of_keyed_vectors() -> set[str]:
    from gensim.models import KeyedVectors
    from gensim.models.fasttext import FastTextKeyedVectors

    return public(KeyedVectors, FastTextKeyedVectors)


def of_word2vec() -> set[str]:
    from gensim.models import Doc2Vec, FastText, Word2Vec

    return public(Word2Vec, FastText, Doc2Vec)


def of_settings() -> set[str]:
    from gensim.models import Doc2Vec, FastText, Word2Vec

    return settings(Word2Vec, FastText, Doc2Vec)


def of_phrases() -> set[str]:
    from gensim.models.phrases import FrozenPhrases, Phrases

    return public(Phrases, FrozenPhrases)


def of_fasttext() -> set[str]:
    fasttext = pytest.importorskip("fasttext", reason="fasttext is not installed: make clients")
    from fasttext.FastText import _FastText

    futures = {"absolute_import", "division", "print_function", "unicode_literals"}
    return {name for name in dir(fasttext) if name[0] != "_"} - futures | public(_FastText)


def of_sentence_transformer() -> set[str]:
    import torch
    from sentence_transformers import SentenceTransformer

    return public(SentenceTransformer, beside=torch.nn.Sequential)


def of_encode() -> set[str]:
    from sentence_transformers import SentenceTransformer

    return set(inspect.signature(SentenceTransformer.encode).parameters) - {"self"}


def of_util() -> set[str]:
    from sentence_transformers import util

    return {name for name in util.__all__ if not name.startswith("_")}


SECTIONS: dict[str, Callable[[], set[str]]] = {
    "KeyedVectors and FastTextKeyedVectors": of_keyed_vectors,
    "Word2Vec, FastText and Doc2Vec": of_word2vec,
    "Settings": of_settings,
    "Phrases": of_phrases,
    "Coming from fastText's Python module": of_fasttext,
    "SentenceTransformer": of_sentence_transformer,
    "Arguments of encode": of_encode,
    "util": of_util,
}
INTERNAL = {
    "KeyedVectors and FastTextKeyedVectors": """
        add_lifecycle_event adjust_vectors allocate_vecattrs init_post_load
        log_accuracy log_evaluate_word_pairs recalc_char_ngram_buckets vectors_norm""",
    "Word2Vec, FastText and Doc2Vec": """
        add_lifecycle_event add_null_word create_binary_tree init_sims init_weights make_cum_table
        prepare_weights reset_from seeded_vector update_weights""",
    "Settings": """
        dv_mapfile kwargs""",
    "Phrases": "add_lifecycle_event",
    "Coming from fastText's Python module": "BOW EOS EOW f",
    "SentenceTransformer": """
        active_adapter active_adapters check_peft_compatible_model clear_placement_cache config
        default_huggingface_organization dtype
        get_adapter_state_dict get_model_kwargs get_sentence_features
        has_peft_compatible_model is_singular_input
        model_card_data_class model_type set_pooling_include_prompt
        smart_batching_collate transformers_model""",
    "Arguments of encode": "kwargs",
    "util": """
        LoggingHandler ORIGINAL_TRANSFORMER_MODELS all_gather all_gather_padded
        all_gather_with_grad append_to_last_row batch_to_device cat_padded_token_embeddings
        check_package_availability check_teacher_targets check_version_requirements
        compute_count_vector disable_datasets_caching disable_logging disabled_tqdm fullname
        get_device_name get_rank get_world_size http_get import_from_string import_module_class
        install_logger is_accelerate_available is_datasets_available is_dist_initialized
        is_sentence_transformer_model is_training_available load_dir_path load_file_path
        repad_flattened_features resolve_ids
        save_to_hub_args_decorator select_max_active_dims similarity_fct_name
        stack_padded_token_embeddings to_scipy_coo""",
}


def test_each_table_has_a_test() -> None:
    assert set(tables()) == set(SECTIONS) == set(INTERNAL)


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_each_name_of_theirs_is_there(section: str) -> None:
    rows = tables()[section]
    said = [name for row in rows for name in named(row[0])]
    assert len(said) == len(set(said)), "a name stands in two rows"
    theirs, internal = SECTIONS[section](), set(INTERNAL[section].split())
    assert internal & set(said) == set(), "a name of the table is called internal"
    assert theirs - set(said) - internal == set(), "they have it, and the table does not"
    if "fastText's" not in section:  # `words` and `labels` are of an instance
        assert internal - theirs == set(), "they do not have it"
        assert set(said) - theirs == set(), "the table has it, and they do not"


@pytest.mark.parametrize("section", SECTIONS)
def test_each_row_says_what_kind_it_is(section: str) -> None:
    for row in tables()[section]:
        assert len(row) == 3, row
        assert row[1] in KINDS, row
        if row[1] == "no":
            assert len(row[2]) > 5, f"{row[0]}: no reason"


def ours() -> Iterator[str]:
    for rows in tables().values():
        for theirs, kind, cell in rows:
            for name in named(cell):
                if re.match(r"(ft|foretext)[. ]|[A-Z]\w+\.", name):
                    yield name
            if kind == "same" and (where := re.match(r"`([A-Z]\w+|foretext[.\w]+)`", cell)):
                yield from (f"{where[1]}.{name}" for name in named(theirs))


@pytest.mark.parametrize("name", sorted(set(ours())))
def test_each_name_of_ours_exists(name: str) -> None:
    first, *rest = re.split(r"[. ]", name)
    if name.startswith("foretext "):
        assert rest[0] in set(typer.main.get_command(app).commands), name
        return
    if first == "foretext":
        module, *last = name.rsplit(".", 1)
        try:
            importlib.import_module(name)
        except ImportError:
            assert hasattr(importlib.import_module(module), last[0]), name
        return
    where = ft if first == "ft" else getattr(ft, first)
    assert hasattr(where, rest[0]) or is_set_in(where, rest[0]), name


def is_set_in(where: type, name: str) -> bool:
    """Whether the constructor of a class sets an attribute."""
    bodies = (inspect.getsource(each) for each in where.__mro__ if each is not object)
    return any(re.search(rf"self\.{name}(,.*)? = |^    {name}: ", body, re.M) for body in bodies)


def test_settings_of_ours_exist() -> None:
    known = {name for each in (ft.Word2Vec, ft.FastText, ft.Doc2Vec) for name in each.defaults()}
    for theirs, kind, cell in tables()["Settings"]:
        if kind == "same":
            assert set(named(theirs)) <= known, theirs
        elif kind == "other" and re.match(r"`\w+`:", cell):
            assert named(cell)[0] in known, cell
