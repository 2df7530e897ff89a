"""A corpus without its dirt: rules, duplicates, text of test sets."""

from foretext.cleaning.clean import clean
from foretext.cleaning.cleaned import Cleaned
from foretext.cleaning.quality_rules import ChineseRules, QualityRules
from foretext.cleaning.settings import CleaningConfig

__all__ = ["ChineseRules", "Cleaned", "CleaningConfig", "QualityRules", "clean"]
