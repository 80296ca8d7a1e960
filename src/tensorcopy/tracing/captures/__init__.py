"""What a recording leaves behind, as plain values: no module here loads torch or NumPy."""
