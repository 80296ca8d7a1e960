"""The formats, one a module, found by folder: adding a file adds a format.

A format module has ``NAME``; ``recognises(head)``, which tells from the first bytes of a file whether it may be one;
and ``read(file, path)``, which gives its `Contents`. They are asked in the order of ``ORDER``.
"""
