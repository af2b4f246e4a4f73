"""The classifier `llm`: a language model chooses among the agents that take a model."""
