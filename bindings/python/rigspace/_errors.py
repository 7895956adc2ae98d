"""The library's messages as exceptions: one sentence for people, fields for programs."""
from __future__ import annotations

import re


class Error(Exception):
    """What went wrong, in one sentence, with the fields that it was made from; those may be empty.

    file     the file, with :line where there is one
    element  the thing that is wrong
    value    the offending value
    problem  what is wrong with it
    remedy   what to do, or what was expected
    code     as the command line exits: 1 internal, 2 usage, 3 bad input, 4 not converged, 5 another process, 130 cancelled
    """

    code = 1

    def __init__(self, problem: str = "", *, sentence: str = "", file: str = "", element: str = "", value: str = "",
                 remedy: str = ""):
        head = " ".join(part for part in (element, problem) if part)
        made = (f"{file}: " if file else "") + head + (f"; {remedy}" if remedy else "")
        super().__init__(sentence or made)
        self.file, self.element, self.value, self.problem, self.remedy = file, element, value, problem, remedy


class InternalError(Error):
    """A fault of the library."""


class UsageError(Error, ValueError):
    """An argument that cannot be meant."""

    code = 2


class InputError(Error, ValueError):
    """A file, or what is in it, cannot be used."""

    code = 3


class NotConverged(Error):
    """A solve that had to converge did not."""

    code = 4


class ProcessError(Error):
    """Another process, or a callable that is a rig, failed."""

    code = 5


class Cancelled(Error):
    """A progress callback answered False."""

    code = 130


_CLASSES = {kind.code: kind for kind in (InternalError, UsageError, InputError, NotConverged, ProcessError, Cancelled)}

# Options of the command line are arguments here.
_ARGUMENTS = {"part": "parts", "rig-process": "start(command)"}


def _as_argument(text: str) -> str:
    return re.sub(r"--([a-z]+(?:-[a-z]+)*)( )?",
                  lambda m: _ARGUMENTS.get(m[1], m[1].replace("-", "_")) + ("=" if m[2] else ""), text)


def error_of(code: int, sentence: str, file: str, element: str, value: str, problem: str, remedy: str) -> Error:
    return _CLASSES.get(code, InternalError)(_as_argument(problem), sentence=_as_argument(sentence), file=file,
                                             element=_as_argument(element), value=value, remedy=_as_argument(remedy))
