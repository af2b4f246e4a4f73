"""The formulator `llm`: from a statement to formulations, by a language model."""
