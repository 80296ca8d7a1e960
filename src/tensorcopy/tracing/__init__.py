"""Run a program and see every copy, every alias that bites and every gradient that is cut, by the user's line.

`Session` is the recording of one process, `Capture` the plain value that comes out of it. Loads torch when a session
starts, not before.
"""
