"""Every kind of pretraining in one budget, judged on the user's own task."""
