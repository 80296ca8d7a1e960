"""Programs of several processes: workers, pools, the ranks of a distributed run; each has a capture of its own."""
