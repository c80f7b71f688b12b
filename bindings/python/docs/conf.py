"""The site of the Python package: made from the docstrings of the installed package."""

import stowplan

project = "stowplan"
author = "the authors of stowplan"
copyright = author
release = version = stowplan.__version__
extensions = ["sphinx.ext.autodoc"]
autodoc_member_order = "alphabetical"
autodoc_default_options = {"members": True, "undoc-members": False}
html_theme = "alabaster"
exclude_patterns = []
nitpicky = False
