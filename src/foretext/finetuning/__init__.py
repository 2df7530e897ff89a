"""Learning a task from labelled rows: one road for networks, the linear model and fastText.

run.py         the road, from rows to a kept run, with the search for settings
finetune.py    the verb of Python, with types
recipe.py      what is learned from what, and the settings for it
job.py         a recipe and the folder that it works in
bases.py       what a task can be learned on, by name
learner.py     what learns: the interface
network.py     a head on a backbone, with held-out figures while it learns
linear.py      the linear model, and fasttext.py: without PyTorch
start.py       what a network starts with: words and their vectors, too
before_training.py   what comes first: more pretraining, a teacher, features of words
teachers.py    models whose answers a student learns
settings.py    settings, and what they are where nobody says
rows.py        rows by what they are for
trials.py      one training of a search for settings
allotment.py   how the time of a command is divided; the baseline beside the model; closing.py
seeds.py       a training a seed
writing.py     how a run ends, and what config.json keeps
unchanged.py   what an unfinished run began with
"""
