# Python imports this before a tool's script. Compiled files count beside the standard library and the system's packages,
# where only the system can write; beside a tool they are not what was checked, so none is looked for.
import os

import _frozen_importlib_external as external

_library = os.path.dirname(os.__file__)
_places = (_library + os.sep, os.path.join(os.path.dirname(_library), "python3", "dist-packages") + os.sep)
_cache_from_source = external.cache_from_source


def _cache_of_system_only(path, *args, **kwargs):
    if path.startswith(_places):
        return _cache_from_source(path, *args, **kwargs)
    raise NotImplementedError("no compiled files beside tools")


external.cache_from_source = _cache_of_system_only

if os.environ.pop("TOOLCRIB_WATCHED", None):
    import toolcrib_environment  # noqa: F401
