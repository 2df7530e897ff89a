"""Pretrain language representations on your own text, and turn them into working models."""
