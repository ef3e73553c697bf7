"""For Python tools that run in Toolcrib: call other tools, report progress.

    import toolcrib

    def execute(params, project_path):
        toolcrib.progress(1, 2, "asking")
        return toolcrib.execute("math/add", {"a": 1, "b": 2})

`toolcrib.execute` needs the capability `rye.execute` (or `rye.execute.tool.<id>`).
"""


class ToolFailed(Exception):
    """A tool that was called failed; `code` is its error code, `outcome` everything that is known."""

    def __init__(self, outcome):
        error = outcome.get("error") or {}
        super().__init__(error.get("message") or "the tool failed")
        self.code = error.get("code")
        self.outcome = outcome


def execute(ref, params=None):
    """Calls another tool of the crib and gives back its value; raises ToolFailed when it fails."""
    return _ask(ref, params, False)


def spawn(ref, params=None):
    """Starts another tool and does not wait for it; needs `rye.execute.spawn.thread` too."""
    _ask(ref, params, True)


def _ask(ref, params, detached):
    try:
        import _toolcrib_host
    except ImportError:
        raise RuntimeError("toolcrib calls tools only from a tool that runs as a function") from None
    outcome = _toolcrib_host.call(ref, params, detached)
    if not outcome.get("ok"):
        raise ToolFailed(outcome)
    return outcome.get("value")


def progress(done, total=None, message=""):
    """Reports progress to whoever called the tool."""
    print("::progress %s%s %s" % (done, "" if total is None else "/%s" % total, message), flush=True)
