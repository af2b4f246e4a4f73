"""Sphinx configuration."""

from orkernel.version import __version__

project = "orkernel"
author = "the orkernel authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build", "examples/*.md", "examples/**/*.md", "recordings/**"]
html_theme = "furo"
html_title = f"orkernel {release}"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_typehints = "description"
suppress_warnings: list[str] = []
