"""The command line. Only this package prints and exits."""
