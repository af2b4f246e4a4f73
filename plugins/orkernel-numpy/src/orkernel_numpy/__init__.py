"""General solver agent: enumeration, SciPy search and simulation of random parameters."""
