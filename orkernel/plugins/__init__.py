"""Machinery behind `orkernel.registry`: discovery, choice, isolation, validation."""
