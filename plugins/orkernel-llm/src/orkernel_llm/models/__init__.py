"""Ways to reach a language model, one module each, imported when a run asks for that kind."""
