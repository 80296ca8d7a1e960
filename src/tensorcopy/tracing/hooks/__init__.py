"""Where a session listens: the dispatcher, calls, autograd, the interpreter, and the functions that are wrapped."""
