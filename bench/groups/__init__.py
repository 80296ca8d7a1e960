"""One module a group of cells; each offers ``CELLS``. Found by folder."""
