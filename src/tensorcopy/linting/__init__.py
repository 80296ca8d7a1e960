"""Find mistakes in copying, sharing and converting tensors by reading programs. Never imports or runs what it reads."""
