"""Lists of several pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Listing(Generic[T]):
    """A list that loads its pages as they are read: `for job in tickreel.jobs.list()`."""

    def __init__(self, items: str, read: Callable[..., Any], query: Mapping[str, Any]) -> None:
        self._items = items
        self._read = read
        self._query = query

    def page(self, cursor: str | None = None) -> Any:
        """Returns one page as the service answers it, with its `next_cursor`."""
        return self._read(**self._query, cursor=cursor)

    def __iter__(self) -> Iterator[T]:
        cursor = None
        while True:
            page = self.page(cursor)
            yield from page[self._items]
            cursor = page["next_cursor"]
            if cursor is None:
                return


def joined(include: Iterable[str]) -> str | None:
    """Formats the names of included fields for a query."""
    return ",".join(include) or None
