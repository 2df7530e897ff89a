"""What a component of yours is made of: every name that the pages of docs/extending import.

An objective, a backbone, a task or a family of folders in your own package imports from here alone,
so that it works with the next version, wherever foretext keeps these classes by then.
"""

from foretext.backbones.base import Backbone, States, TaskTraits
from foretext.base.config import Config
from foretext.base.errors import CorpusError, ForetextError, ModelFileError, SettingError
from foretext.corpus import Corpus
from foretext.corpus.findings import Problem
from foretext.data.batch import Batch, Inputs
from foretext.data.examples import Examples
from foretext.data.padded_examples import PaddedExamples, Ragged
from foretext.data.rows import Input, InputColumns, InputFile, KeptInput
from foretext.data.rows.in_memory import RowSource
from foretext.data.rows.records import read_records
from foretext.data.rows.settings import LabelledConfig
from foretext.data.token_file import TokenFile
from foretext.data.token_stream import TokenStream
from foretext.heads.answers import Classes, LabelSets, RealNumber
from foretext.heads.base import Head, TaskBase
from foretext.heads.text_head import TextHead, TextPooler, initialised_linear
from foretext.interop.bert import Bert
from foretext.interop.families import FAMILIES
from foretext.interop.family import Family
from foretext.metrics import pearson, spearman
from foretext.metrics.paired import Tallies, rank_tallies, share_tallies
from foretext.nn.cache import RecurrentCache
from foretext.nn.vocabulary_head import Score
from foretext.objectives.base import Objective, TextRules
from foretext.tasks.answers import Answers
from foretext.tasks.baseline import Baseline
from foretext.tasks.model import TaskModel
from foretext.tasks.predictor import Record
from foretext.tasks.task import Candidates, Feature, HeadTraits, Resolved, Task, WordTraits, lazily
from foretext.tasks.top import Top
from foretext.tasks.windows import Windows
from foretext.tokenizers.hf_files import save_hf_tokenizer
from foretext.tokenizers.subword_tokenizer import SubwordTokenizer
from foretext.tokenizers.subwords import learn_subwords

__all__ = [
    "FAMILIES",
    "Answers",
    "Backbone",
    "Baseline",
    "Batch",
    "Bert",
    "Candidates",
    "Classes",
    "Config",
    "Corpus",
    "CorpusError",
    "Examples",
    "Family",
    "Feature",
    "ForetextError",
    "Head",
    "HeadTraits",
    "Input",
    "InputColumns",
    "InputFile",
    "Inputs",
    "KeptInput",
    "LabelSets",
    "LabelledConfig",
    "ModelFileError",
    "Objective",
    "PaddedExamples",
    "Problem",
    "Ragged",
    "RealNumber",
    "Record",
    "RecurrentCache",
    "Resolved",
    "RowSource",
    "Score",
    "SettingError",
    "States",
    "SubwordTokenizer",
    "Tallies",
    "Task",
    "TaskBase",
    "TaskModel",
    "TaskTraits",
    "TextHead",
    "TextPooler",
    "TextRules",
    "TokenFile",
    "TokenStream",
    "Top",
    "Windows",
    "WordTraits",
    "initialised_linear",
    "lazily",
    "learn_subwords",
    "pearson",
    "rank_tallies",
    "read_records",
    "save_hf_tokenizer",
    "share_tallies",
    "spearman",
]
