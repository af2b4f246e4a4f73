"""Combinatorial solver agent: CP-SAT and the routing library of OR-Tools."""
