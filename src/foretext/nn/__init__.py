"""Modules that backbones and heads are made of."""
