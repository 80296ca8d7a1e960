"""Captures as reports, pages and files of other tools: no module here loads torch or NumPy."""
