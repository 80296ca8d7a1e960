"""The commands, one a module, found by folder: adding a file adds a command.

A command module has ``NAME``, what users type; ``SUMMARY``, a line for the list of commands;
``add_arguments(parser)``; and ``run(args)``, which prints through `cli.showing` and returns the exit code: 0 clean,
1 findings. Loading it must be cheap: what it needs, it imports in `run`.
"""
