"""The scorer `self-confidence`: a language model judges a formulation."""
