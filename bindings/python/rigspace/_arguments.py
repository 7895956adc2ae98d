"""From what Python programs write to the words that the library reads, the same that its command line has."""
from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, Sequence, Union

from ._errors import UsageError

Time = Union[float, str]  # seconds, or frames as "12f"


def number(value: float) -> str:
    return repr(float(value))


def time(value: Time) -> str:
    return value if isinstance(value, str) else number(value)


def words(value: Union[str, Iterable[Any], None]) -> list:
    """One or several."""
    if value is None:
        return []
    return [value] if isinstance(value, (str, os.PathLike)) else [str(each) for each in value]


def choice(name: str, value: Any, choices: Sequence[Any]) -> Any:
    if value not in choices:
        raise UsageError("is none of " + ", ".join(map(str, choices)), element=f"{name}={value!r}", value=str(value))
    return value


def above_zero(**values: Any) -> None:
    for name, value in values.items():
        if value is not None and not 0 < value < float("inf"):
            raise UsageError("is not a number above 0", element=f"{name}={value!r}", value=str(value))


def parts(value: Union[str, Iterable[str], Mapping[str, str], None]) -> list:
    if isinstance(value, Mapping):
        return [f"{pattern}={preset}" for pattern, preset in value.items()]
    return words(value)


def _keys(value: Any) -> str:
    """A number, keys as (time, value), or what the command line takes."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ",".join(f"{time(at)}:{number(key)}" for at, key in value)
    return number(value)


def settings(value: Union[Mapping[str, Any], Iterable[str], str, None]) -> list:
    if isinstance(value, Mapping):
        return [f"{control}={_keys(each)}" for control, each in value.items()]
    return words(value)


def hits(value: Union[Mapping[str, Any], Iterable[str], str, None]) -> list:
    if not isinstance(value, Mapping):
        return words(value)
    moments = {part: each if isinstance(each, (list, tuple)) else [each] for part, each in value.items()}
    return [f"{part}={','.join(time(moment) for moment in each) or 'none'}" for part, each in moments.items()]
