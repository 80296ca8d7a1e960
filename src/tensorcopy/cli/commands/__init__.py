"""The commands, one a module, found by folder: adding a file adds a command.

A command module has ``NAME``, what users type; ``SUMMARY``, a line for the list of commands; ``EXAMPLES``, whole
command lines; ``add_arguments(parser)``; and ``run(args)``, which prints through `cli.showing` and returns the exit
code. Loading it must be cheap: what it needs, it imports in `run`.

It may have ``EXIT_CODES``, what they mean where 0 is not all that a finished command can return; ``FORMATS``, those
that it has beside the ones of reports; or ``OUTPUT``, what ``--output`` names where that is no report in some format.
"""
