"""Conformance kits: what the object behind each kind of record must do, as tests."""
