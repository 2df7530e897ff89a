"""What learns from labelled rows at once, without a pretrained network."""
