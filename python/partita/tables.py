"""Plain dicts that show themselves as tables, in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

# A terminal's table has at most so many rows, and cells of so many letters; the dict has everything.
_ROWS = 40
_CELL = 48


class Table(dict[str, Any]):
    """A dict for scripts that people see as a table.

    >>> Table({"w": 4096}, ("name", "bytes"), [("w", 4096)], ["1 array"])
    name  bytes
    w      4096
    1 array
    """

    def __init__(self, data: dict, head: Sequence[str], rows: Sequence[Sequence[object]], notes: Sequence[str] = ()):
        super().__init__(data)
        self._head = tuple(head)
        self._rows = [tuple(row) for row in rows]
        self._notes = list(notes)

    def __str__(self) -> str:
        shown = [self._head, *([_short(str(cell)) for cell in row] for row in self._rows[:_ROWS])]
        numbers = [all(isinstance(row[n], int) for row in self._rows) for n in range(len(self._head))]
        widths = [max(len(row[n]) for row in shown) for n in range(len(self._head))]
        align = lambda row: "  ".join(
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(row, widths, numbers)
        ).rstrip()  # fmt: skip
        more = [f"… and {len(self._rows) - _ROWS} more"] if len(self._rows) > _ROWS else []
        return "\n".join([*map(align, shown), *more, *self._notes]) if self._rows else "\n".join(self._notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"
        rows = "".join(cells(row, "td") for row in self._rows)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._notes)
        return f"<table><thead>{cells(self._head, 'th')}</thead><tbody>{rows}</tbody></table>{notes}"


class Words(dict[str, Any]):
    """A dict for scripts that people see as words."""

    def __init__(self, data: dict, words: str):
        super().__init__(data)
        self._words = words

    def __str__(self) -> str:
        return self._words

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._words)}</pre>"


def _short(cell: str) -> str:
    return cell if len(cell) <= _CELL else cell[: _CELL - 1] + "…"
