"""Heads that answer tasks: what a pretrained model can learn."""
