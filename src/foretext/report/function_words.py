"""English words that hold a sentence together and say little by themselves."""

from __future__ import annotations

__all__ = ["FUNCTION_WORDS"]

_WORDS = """
a an the this that these those such same other another each every either neither both all any
some no none one ones many much more most few fewer less least several enough own

i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his
himself she her hers herself it its itself they them their theirs themselves who whom whose
which what whatever whoever whichever someone anyone everyone something anything everything
nothing nobody somebody anybody everybody

about above across after against along among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of
off on onto out outside over past per since through throughout till to toward towards under
until up upon via with within without

and but or nor so yet if because although though unless while whereas whether than then else
therefore thus hence however moreover nevertheless otherwise

am is are was were be been being have has had having do does did done doing can could may might
must shall should will would ought need

not never ever also too very quite rather only just even still already again always often
sometimes perhaps almost together here there where when why how now once twice hereby thereby
thereafter therein whereby wherein wherever whenever anyhow somehow somewhere anywhere
everywhere nowhere further mostly namely indeed well

s t re ve ll d m don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn
"""

FUNCTION_WORDS = frozenset(_WORDS.split())
