"""Small problems with known answers, by theme."""
