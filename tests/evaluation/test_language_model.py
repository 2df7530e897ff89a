from __future__ import annotations

import math
from pathlib import Path

import pytest

from foretext.backbones.recurrent import Recurrent
from foretext.base.errors import CorpusError, EvaluationError, ModelFileError, SettingError
from foretext.corpus import Corpus, CorpusConfig
from foretext.data.token_file import Tokens
from foretext.data.token_writer import write_tokens
from foretext.evaluation.language_model import evaluate_language_model, reading_of
from foretext.language_model import LanguageModel
from foretext.objectives.causal_lm import CausalLM
from foretext.tokenizers.subwords import learn_subwords
from foretext.training.model import Model
from foretext.training.validation import HeldOutLoss
from tests.language_model.models import SENTENCES, bert, gpt, lstm

LINES = CorpusConfig(documents="line")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    documents = ["\n".join(SENTENCES[:2]), "\n".join(SENTENCES[2:]), SENTENCES[0]]
    path.write_text("\n\n".join(documents * 4) + "\n", encoding="utf-8")
    return path


def test_a_causal_model_by_tokens_words_and_bytes(text: Path) -> None:
    model = gpt()
    (found,) = evaluate_language_model(model, [text])
    figures = found.as_dict()
    likelihood = model.likelihood(list(Corpus(text)))
    assert figures["kind"] == "causal language model"
    assert figures["loss"] == likelihood.loss
    assert figures["word_perplexity"] == math.exp(likelihood.nll / likelihood.num_words)
    assert figures["words"] == 12 + len(text.read_text().split())
    assert ("bits per byte", f"{likelihood.bits_per_byte:.4f}") in found.rows()
    assert figures["bits_per_character"] == likelihood.bits_per_character
    assert figures["bits_per_token"] == likelihood.loss / math.log(2)
    assert "note" not in figures


def test_figures_that_would_be_wrong_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "unknown.txt"
    path.write_text("the unheard king of the sea\n", encoding="utf-8")
    (found,) = evaluate_language_model(lstm(), [path])
    assert found.figures["bits_per_character"] is None
    assert found.figures["word_perplexity"] == found.figures["perplexity"]
    assert "compare perplexities of the same vocabulary only" in str(found.figures["note"])
    assert ("bits per byte", "-") in found.rows()


@pytest.mark.slow
@pytest.mark.shared_data
def test_the_penn_treebank_has_the_words_of_the_literature(shared_data: Path) -> None:
    """Mikolov's files: 10,000 words with <unk> and <eos>, 82,430 of them to predict in the test."""
    text = Corpus(shared_data / "ptb" / "ptb.train.txt.xz", LINES)
    settings = {"vocab_size": 20_000, "min_count": 1, "special_tokens": ["<unk>", "<eos>"]}
    settings |= {"pre_tokenizer": "whitespace", "lowercase": False}
    tokenizer = learn_subwords("word", settings, text)
    assert tokenizer.vocab_size == 10_000
    shape = {"vector_size": 4, "dim": 4, "num_layers": 1, "bidirectional": False}
    backbone = Recurrent(Recurrent.Config(**shape), tokenizer.vocab_size)
    objective = CausalLM(CausalLM.Config(carry_state=True), backbone, tokenizer)
    model = LanguageModel(tokenizer, backbone, objective, device="cpu")
    test = shared_data / "ptb" / "ptb.test.txt"
    (found,) = evaluate_language_model(model, [test], corpus=LINES)
    assert found.figures["tokens"] == found.figures["words"] == 82_430
    assert found.figures["unknown_tokens"] == 0
    assert found.figures["word_perplexity"] == pytest.approx(10_000, rel=0.05)


def test_where_documents_end_decides_what_is_predicted(text: Path) -> None:
    model = gpt()
    (blank,), (line,) = (
        evaluate_language_model(model, [text], corpus=CorpusConfig(documents=documents))
        for documents in ("blank_line", "line")
    )
    ends = [int(found.figures["words"]) for found in (blank, line)]
    assert ends[1] - ends[0] == 8  # of the 20 sentences, 12 ended a document already


def test_a_masked_model_is_asked_what_training_asks(text: Path, tmp_path: Path) -> None:
    for next_sentence in (False, True):
        model = bert(next_sentence=next_sentence)
        (found,) = evaluate_language_model(model, [text])
        (again,) = evaluate_language_model(model, [text])
        assert found == again
        objective = model.objective
        assert objective is not None
        tokens: Tokens = write_tokens(Corpus(text), model.tokenizer, tmp_path / "tokens")
        examples = objective.examples(tokens.train, held_out=True)
        held_out = HeldOutLoss(examples, 32).measure(Model(model.backbone, objective).eval())
        assert found.figures["loss"] == held_out["valid_loss"]
        assert 0 <= float(found.figures["masked_lm_accuracy"]) <= 1
        assert ("next_sentence_accuracy" in found.figures) == next_sentence


def test_errors_are_sentences(text: Path, tmp_path: Path) -> None:
    model = bert()
    body = LanguageModel(model.tokenizer, model.backbone, None, device="cpu")
    with pytest.raises(EvaluationError, match="This model has no head"):
        evaluate_language_model(body, [text])
    with pytest.raises(EvaluationError, match="stride has no effect on a masked"):
        evaluate_language_model(model, [text], stride=4)
    with pytest.raises(SettingError, match="stride = 99"):
        evaluate_language_model(gpt(), [text], stride=99)
    with pytest.raises(CorpusError, match="there is no"):
        evaluate_language_model(model, [tmp_path / "none.txt"])
    with pytest.raises(EvaluationError, match="no two documents of two sentences or more"):
        evaluate_language_model(bert(next_sentence=True), [text], corpus=LINES)


def test_text_is_read_as_the_run_read_it(tmp_path: Path) -> None:
    assert reading_of(tmp_path) == CorpusConfig()
    (tmp_path / "recipe.toml").write_text(
        '[corpus]\nnormalization = "NFKC"\n[vectors]\nname = "word2vec"\n', encoding="utf-8"
    )
    assert reading_of(tmp_path).normalization == "NFKC"
    assert reading_of(tmp_path, "line") == CorpusConfig(normalization="NFKC", documents="line")
    latin = reading_of(tmp_path, encoding="latin-1")
    assert latin == CorpusConfig(normalization="NFKC", encoding="latin-1")
    with pytest.raises(SettingError, match="Python knows no such text encoding"):
        reading_of(tmp_path, encoding="latin-99")


HOSTILE = "[backbone]\nname = 'evil:X'\n[objective]\nname = 'evil:Y'\n"


def test_a_recipe_that_names_code_is_read_without_running_it(tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(f"{HOSTILE}[corpus]\nnormalization = 'NFKC'\n")
    assert reading_of(tmp_path).normalization == "NFKC"


@pytest.mark.parametrize(
    "content",
    [b"[corpus", b"\xff\xfe", b"a = " + b"[" * 100_000, b"corpus = 3", b"[corpus]\nencoding = 3",
     b"[[corpus]]", b"[corpus]\nno_such = 3", b"[corpus]\nencoding = " + b"9" * 5000],
)  # fmt: skip
def test_a_damaged_recipe_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "recipe.toml").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"recipe\.toml"):
        reading_of(tmp_path)
