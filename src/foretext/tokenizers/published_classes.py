"""Which classes of `transformers` cut a text as foretext does with the same files.

A folder names the class of its tokenizer. A file such as ``vocab.txt`` says which tokens there are,
the class says how a text is cut before they are looked up: Japanese BERT finds words by a
dictionary. What foretext does not do as that class is refused, because ids would be wrong silently.
"""

from __future__ import annotations

from pathlib import Path

from foretext.base.errors import CorpusError
from foretext.tokenizers.published import TokenizerConfig

__all__ = ["BY_FILE", "PROGRAMS", "check_class"]

BERT = (
    "BertTokenizer",
    "ConvBertTokenizer",
    "DPRContextEncoderTokenizer",
    "DPRQuestionEncoderTokenizer",
    "DistilBertTokenizer",
    "ElectraTokenizer",
    "ErnieTokenizer",
    "MobileBertTokenizer",
    "RetriBertTokenizer",
    "SqueezeBertTokenizer",
)
BY_FILE = {  # the classes whose rules our reader of a file has
    "vocab.txt": BERT,
    "merges.txt": (
        "BartTokenizer",
        "GPT2Tokenizer",
        "LEDTokenizer",
        "LongformerTokenizer",
        "RobertaTokenizer",
    ),
    "source.spm": ("MarianTokenizer",),
    "spiece.model": ("AlbertTokenizer", "MT5Tokenizer", "T5Tokenizer", "XLNetTokenizer"),
    "spm.model": ("DebertaV2Tokenizer",),
    "sentencepiece.bpe.model": ("CamembertTokenizer", "XLMRobertaTokenizer"),
}
GENERAL = ("PreTrainedTokenizer", "TokenizersBackend", "SentencePieceBackend", "PythonBackend")
PROGRAMS = frozenset(  # classes that read no tokenizer.json, whatever lies in the folder
    {
        "BartphoTokenizer",
        "BertGenerationTokenizer",
        "BertJapaneseTokenizer",
        "BertweetTokenizer",
        "BioGptTokenizer",
        "BlenderbotSmallTokenizer",
        "ByT5Tokenizer",
        "CTRLTokenizer",
        "CanineTokenizer",
        "ClvpTokenizer",
        "CpmAntTokenizer",
        "CpmTokenizer",
        "DiaTokenizer",
        "EsmTokenizer",
        "FSMTTokenizer",
        "FlaubertTokenizer",
        "GPTNeoXJapaneseTokenizer",
        "GPTSw3Tokenizer",
        "KoBertTokenizer",
        "M2M100Tokenizer",
        "MgpstrTokenizer",
        "MyT5Tokenizer",
        "PLBartTokenizer",
        "PerceiverTokenizer",
        "PhobertTokenizer",
        "ProphetNetTokenizer",
        "RagTokenizer",
        "RoCBertTokenizer",
        "RoFormerTokenizer",
        "SiglipTokenizer",
        "Speech2TextTokenizer",
        "SpeechT5Tokenizer",
        "TapasTokenizer",
        "VitsTokenizer",
        "Wav2Vec2CTCTokenizer",
        "Wav2Vec2PhonemeCTCTokenizer",
        "XLMTokenizer",
    }
)
MOST = 80  # characters of a name in an error message


def check_class(folder: Path, config: TokenizerConfig, file: str) -> None:
    """Refuse a tokenizer whose class cuts texts in another way than foretext does.

    Args:
        folder: of the model.
        config: what its small files say.
        file: that the tokens are read from; of tokenizer.json, which has the rules, only the
            classes are refused that do not read it.

    Raises:
        CorpusError: the class is another one.
    """
    named = config.get("tokenizer_class") or ""
    if config.get("word_tokenizer_type", "basic") != "basic":
        named = named or "BertJapaneseTokenizer"
    name = named.rpartition(".")[2].removesuffix("Fast")
    is_read = name not in PROGRAMS if file == "tokenizer.json" else name in BY_FILE[file]
    if not name or is_read or (name in GENERAL and file != "tokenizer.json"):
        return
    raise CorpusError(
        f"{folder}: its tokenizer is a {named[:MOST]!r}, and foretext has no such tokenizer: "
        f"with {file} alone it would cut texts in another way than the model has learned. "
        f"{_remedy(file)}"
    )


def _remedy(file: str) -> str:
    if file == "tokenizer.json":
        return "Take a model whose tokenizer is one of the library tokenizers."
    usual = ", ".join(BY_FILE[file][:3])
    return (
        f"Take a model with a tokenizer of {usual}, or one that has a tokenizer.json written by "
        "its own class."
    )
