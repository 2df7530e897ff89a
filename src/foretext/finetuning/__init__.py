"""Learning a task from labelled rows: one road for networks, the linear model and fastText.

run.py         the road, from rows to a kept run
finetune.py    the verb of Python, with types
recipe.py      what is learned from what, and the settings for it
job.py         a recipe and the folder that it works in
bases.py       what a task can be learned on, by name
learner.py     what learns: the interface
network.py     a head on a backbone; linear.py, fasttext.py: without PyTorch
start.py       what a network starts with; word_start.py: its words and their vectors
settings.py    settings, and what they are where nobody says
rows.py        rows by what they are for
search.py      a search for settings; trials.py, network_trials.py: of a network
baseline.py    the baseline that is learned beside the model
allotment.py   how the time of a command is divided; closing.py, rehearsal.py: by timing its end
seeds.py       a training a seed
validation.py  held-out figures while a network learns
facts.py       what config.json keeps; keeping.py: how a run ends
resume.py      what an unfinished run began with
"""
