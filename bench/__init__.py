"""Benchmarks of tensorcopy against the calls that people write and the best routes written by hand.

``python -m bench`` runs them all and prints ratios; ``python -m bench lists --quick`` runs one group with few rounds.
"""
