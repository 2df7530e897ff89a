"""Every kind of pretraining in one budget, judged on the user's own task.

run.py           the road, from rows to best model; compare.py: the verb of Python
request.py       what a user asks for; preparing.py: what is decided before the first turn
candidate.py     one way from text and rows to a model
candidates.py    which ones a task has and a budget can try; named_candidate.py: what a name means
choosing.py      with what the user says over it; candidate_settings.py: settings of single ones
rows.py          the rows that all read; held_out.py: those to choose by; leaks.py, corpus_leaks.py
text_facts.py    what the beginning of a corpus says; checks.py: whether time and room suffice
shares.py        how the time is divided; rounds.py: successive halving
turn.py          a candidate in a round; sharing.py: what pretrainings have in common
final.py         answers to the test
ledger.py        what is decided and finished, on disk; folder.py: how a comparison begins and ends
worker.py        jobs and replies; child_worker.py, local_worker.py: in which process
worker_process.py, messages.py, failures.py: the other process
jobs.py          what a job does; kept_job.py: once; run_curve.py, measurement.py: what it cost
baseline_run.py  a baseline as a candidate; answers.py: what is kept of answers
figures.py       the content of compare.json: entries.py, scores.py, intervals.py, ranking.py,
                 recommendation.py, forecast.py, disagreements.py
comparison.py    the result; leaderboard.py, results_csv.py: its tables; best_recipe.py: of best/
"""
