"""GGUF: models and tokenizers in the one file that llama.cpp reads."""
