"""The solver agent `code`: a language model writes programs that run isolated."""
