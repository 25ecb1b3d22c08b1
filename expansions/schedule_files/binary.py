"""The compact format: a numpy .npz of small integers, see `generators.formats.archive`."""

from expansions.schedule_files.header import header_and_arrays, lengths, restored
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.archive import Content, archive_content, read_archive


def binary_content(saved: SavedSchedule) -> bytes:
    """The bytes of the file; the same schedule always gives the same."""
    return archive_content(*header_and_arrays(saved))


def read_binary(source: str, content: Content) -> SavedSchedule:
    """The schedule in the bytes of a file, or in an open one; `source` names it in messages.

    Raises InvalidInput with one line for anything that is not such a file, whole and true.
    """
    try:
        return restored(*read_archive(content, lengths))
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from None
