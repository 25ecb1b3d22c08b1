"""What ends a check."""


class Violation(Exception):  # noqa: N818 - it is an answer, not an error
    """The first thing that is wrong with a certificate, in one line."""
