"""Write the pages of the guide, or with ``--check`` name those that are stale."""

from __future__ import annotations

import sys

from .pages import FOLDER, pages, stale


def main() -> int:
    """Write every page that differs, take away what no page is called any more, and say which."""
    changed = stale()
    if "--check" in sys.argv[1:]:
        print(*changed, sep="\n") if changed else print("the guide is up to date")
        return bool(changed)
    made = pages()
    for name in changed:
        path = FOLDER / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        else:
            path.unlink()
        print(f"{'wrote' if name in made else 'took away'} {path}")
    return 0


sys.exit(main())
