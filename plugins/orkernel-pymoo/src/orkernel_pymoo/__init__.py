"""Metaheuristic solver agent: NSGA-II, NSGA-III and single-objective search through pymoo."""
