"""The only floor that looks inside torch and NumPy objects; it recognises libraries without importing them."""
