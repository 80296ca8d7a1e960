"""The kinds of files that a source can be read from, one a module, found by folder: adding a file adds a kind.

A module has ``SUFFIXES`` and ``read(path)``, which gives a mapping from names to sources: tensors, arrays or nested
lists of numbers. It may raise whatever its library raises. Loading the module must be cheap.
"""
