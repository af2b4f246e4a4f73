"""Answering a file of questions and counting the right answers."""
