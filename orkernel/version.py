"""The version of the kernel, readable without any metadata lookup."""

__version__ = "0.1.0"
