# Says which variables of its environment a tool asks for, where `toolcrib learn` watches it. Each is said by a look at a
# path that nothing has, which the tracer outside sees; nothing is opened for it, and no file is written.
import os
import sys

_library = os.path.dirname(os.__file__) + os.sep
_own = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_Environment = type(os.environ)


class _Watched(_Environment):
    def __getitem__(self, name):
        try:
            value = _Environment.__getitem__(self, name)
        except KeyError:
            _say("missing", name)
            raise
        _say("given", name)
        return value


def _say(state, name):
    frame = sys._getframe(2)
    while frame is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    # What the library and the runtime ask for, no tool asks for.
    if frame is None or frame.f_code.co_filename.startswith((_library, _own)):
        return
    if isinstance(name, str) and name and "/" not in name and "\0" not in name:
        try:
            os.stat("/toolcrib/variable/%s/%s" % (state, name))
        except OSError:
            pass


def _is_between(file):
    return file.startswith("<frozen ") or file in (os.__file__, _library + "_collections_abc.py")


os.environ.__class__ = _Watched
