"""Copy, share and convert: decide by a `Plan`, then carry it out."""
