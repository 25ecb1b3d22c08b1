"""The program: what `topofinder` and `python -m topofinder` run.

`python -m topofinder` imports nothing from the working folder.
"""

import sys

from topofinder.interrupts import leave_when_interrupted
from topofinder.own_packages import leave_out_working_folder, require_own_packages

BAD_INPUT = 2


def main() -> None:
    """Run the command line with the program's arguments."""
    leave_when_interrupted()
    try:
        require_own_packages()
    except ImportError as error:
        print(f"topofinder: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    from generators.errors import TopofinderError

    try:
        from topofinder.cli.app import main as run
    except TopofinderError as error:  # of a plugin, where a command's options name what it enters
        print(f"topofinder: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    run()


if __name__ == "__main__":
    leave_out_working_folder()
    main()
