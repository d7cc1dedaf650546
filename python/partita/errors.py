"""What goes wrong."""

import json


class Error(Exception):
    """A program, a sharding or a mesh that cannot be used.

    The text is the one that the command line shows: what, where, why, and how to mend it. `code` is a short word for scripts, and `details`
    is what `--json` has.
    """

    def __init__(self, message: str, code: str = "usage", details: str | None = None):
        super().__init__(message)
        self.code = code
        self.details: dict = json.loads(details) if details else {"error": {"code": code, "message": message}}
