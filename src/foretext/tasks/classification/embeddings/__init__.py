"""Texts into classes by pretrained vectors that stay as they are: few labels are enough."""
