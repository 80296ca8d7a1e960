"""Run a program and see every copy, every alias that bites and every gradient that is cut, by the user's line.

`session.Session` is the recording of one process, `captures.capture.Capture` the plain value that comes out of it. What
it hears comes from `hooks`, what that means is decided in `judging`; `processes` are those that the program starts, and
`viewing` shows a capture. `kinds` lists all findings. Loads torch when a session starts, not before.
"""
