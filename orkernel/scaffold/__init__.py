"""Scaffolding of new plugin packages: `orkernel new-plugin KIND NAME`."""
