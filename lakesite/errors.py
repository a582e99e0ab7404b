"""Everything that can stop the command. Damage in the data is never here: that is a `Problem` (see `model`).

LakesiteError                 70   a fault of lakesite itself
├── TaskError                 70   the same, in one of the tasks of a build
├── LeakError                  1   something readable was found that masking would hide
├── UsageError                 2   an option, a setting or a folder that cannot be used
│   └── OutputError            2   what is made cannot be written, or not where it should go
└── NothingToReadError         3   nothing that was given holds a record
"""

from __future__ import annotations


class LakesiteError(Exception):
    """Lakesite itself went wrong."""

    exit_code = 70


class TaskError(LakesiteError):
    """A task of a build went wrong: what sort of error, and where. Its words are left out, they may hold recorded text."""

    def __init__(self, kind: str, frames: tuple[str, ...]) -> None:
        super().__init__(kind, frames)
        self.kind = kind
        self.frames = frames


class LeakError(LakesiteError):
    """A site holds something that masking would hide; `places` lists where, and no word of it."""

    exit_code = 1

    def __init__(self, message: str, places: tuple[str, ...]) -> None:
        super().__init__(message)
        self.places = places


class UsageError(LakesiteError):
    """What was asked for cannot be done; the message says what to change."""

    exit_code = 2


class OutputError(UsageError):
    """The output folder is not ours to write to or in use, a disk is full or refuses, or there is no room to unpack in."""


class NothingToReadError(LakesiteError):
    """No run file and no partition among what was given."""

    exit_code = 3
