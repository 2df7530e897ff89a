"""Every kind of pretraining in one budget, judged on the user's own task.

run.py           the road, from rows to best model; compare.py: the verb of Python
request.py       what a user asks for; preparing.py: what is decided before the first turn
candidate.py     one way from text and rows to a model, and what its name means
candidates.py    which ones a task has and a budget can try
chosen_candidates.py   with what the user says over it
rows.py          the rows that all read; leaks.py: rows that stand in two parts, or in the corpus
text_facts.py    what the beginning of a corpus says; checks.py: whether time and room suffice
shares.py        how the time is divided; rounds.py: successive halving
turn.py          a candidate in a round
final.py         answers to the test
ledger.py        what is decided and finished, on disk; how a comparison begins and ends
worker.py        jobs and replies; child_worker.py, local_worker.py: in which process
worker_process.py      the other process
jobs.py          what a job does; measurement.py: what it cost
baseline_run.py  a baseline as a candidate; answers.py: what is kept of answers
figures.py       the content of compare.json: intervals.py, ranking.py, forecast.py,
                 recommendation.py
comparison.py    the result and its tables
"""
