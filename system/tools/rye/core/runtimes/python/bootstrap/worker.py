# Keeps a Python process warm: imports a tool's file once, then calls its function for each message. Messages are
# lines of JSON on descriptor 3; standard output and error belong to the tool, the host logs what comes out there.
import json
import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader

VARARGS, VARKEYWORDS = 0x04, 0x08
# The host's pipe, moved away from 3 so that a tool's own use of low descriptors does not meet it.
try:
    import fcntl

    CHANNEL = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, 64)
    os.close(3)
except ImportError:
    CHANNEL = 3

HOME = os.getcwd()
_encode = json.JSONEncoder(allow_nan=False, default=str, ensure_ascii=False, separators=(",", ":")).encode

watched = {}
tools = {}
known_tools = {}
forked = []
packages = {}
roots = []
seal = None
broken = None


# The channel

_pending = bytearray()


def read_message():
    """The next message of the host that is no question whether we are there; None when the host is gone."""
    while True:
        message = read_line()
        if message is None or message["t"] != "ping":
            return message
        write_message(b'{"t":"pong","n":%d}\n' % message["n"])


def read_line():
    while True:
        end = _pending.find(b"\n")
        if end >= 0:
            line = bytes(_pending[:end])
            del _pending[: end + 1]
            return json.loads(line)
        # Small, because memory for a large read is mapped and unmapped each time; a long message grows it.
        chunk = os.read(CHANNEL, 1 << 18 if _pending else 1 << 13)
        if not chunk:
            return None
        if not _pending and chunk.find(b"\n") == len(chunk) - 1:
            return json.loads(chunk)
        _pending.extend(chunk)


def write_message(data):
    view = memoryview(data)
    while view:
        view = view[os.write(CHANNEL, view) :]


class Host:
    """What the module `toolcrib` talks to: one question at a time over the channel."""

    lock = None
    asked = 0
    running = 0

    @staticmethod
    def call(ref, params, detached=False):
        import threading

        if Host.lock is None:
            Host.lock = threading.Lock()
        with Host.lock:
            Host.asked += 1
            args = encode([str(ref), {} if params is None else params]).decode("utf-8")
            question = {"t": "ask", "id": Host.running, "n": Host.asked, "op": "spawn" if detached else "execute"}
            write_message(encode({**question, "json": args}) + b"\n")
            answer = read_message()
        if answer is None:
            os._exit(1)
        return json.loads(answer["json"]) if answer["ok"] else {"ok": False, "error": answer["error"]}


# Values

def encode(value):
    """JSON for any value: what JSON cannot hold becomes a string, NaN and infinities become null."""
    try:
        return _encode(value).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(plain(value), allow_nan=False, default=str).encode("ascii")
    except (ValueError, TypeError):
        return json.dumps(plain(value), allow_nan=False, default=str).encode("ascii")


def plain(value, above=()):
    if isinstance(value, float):
        return value if value == value and value not in (float("inf"), float("-inf")) else None
    if isinstance(value, (dict, list, tuple)):
        if id(value) in above:
            raise ValueError("the result refers to itself")
        inner = above + (id(value),)
        if isinstance(value, dict):
            return {key if isinstance(key, str) else key_text(key): plain(item, inner) for key, item in value.items()}
        return [plain(item, inner) for item in value]
    return value


def key_text(key):
    if key is None or isinstance(key, bool):
        return json.dumps(key)
    return str(key)


# Importing: files near the tool are always read from source and watched for changes

class Source(SourceFileLoader):
    def get_code(self, fullname):
        path = self.get_filename(fullname)
        watched[path] = signature(path)
        data = self.get_data(path)
        check_seal(path, data)
        return self.source_to_code(data, path)


class Native(ExtensionFileLoader):
    def create_module(self, spec):
        if seal is not None:
            check_seal(self.path, self.get_data(self.path))
        return super().create_module(spec)


class Broken(BaseException):
    """A file is not what the host checked. No Exception, so that no tool swallows it."""


def check_seal(path, data):
    """Holds the very bytes that are about to be compiled to what the host judged."""
    if seal is None:
        return
    global broken
    real = os.path.realpath(path)
    expected = [seal["files"][name] for name in (path, real) if name in seal["files"]]
    if expected:
        import hashlib

        digest = hashlib.sha256(data).hexdigest()
        fits = all(one == digest for one in expected)
    else:
        fits = not is_closed(path) and not is_closed(real)
    if not fits:
        broken = path
        raise Broken(path)


def is_closed(path):
    folder = seal["closed"]
    if folder is None or not path.startswith(folder + os.sep):
        return False
    above = path[len(folder) + 1 :].split(os.sep)[:-1]
    return not any(name.startswith(".") or name in seal["open"] for name in above)


def signature(path):
    try:
        stat = os.stat(path)
        return stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino
    except OSError:
        return None


def source_finder(path):
    real = os.path.realpath(path or os.getcwd())
    if "site-packages" in real or "dist-packages" in real:
        raise ImportError
    if not any(real == root or real.startswith(root + os.sep) for root in roots):
        raise ImportError
    return FileFinder(path, (Native, EXTENSION_SUFFIXES), (Source, [".py"]))


class Packages:
    """Makes relative imports work for a tool whose folder is a package, under a name that shadows nothing."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        folder = packages.get(name)
        if folder is None:
            return None
        init = os.path.join(folder, "__init__.py")
        spec = ModuleSpec(name, Source(name, init), origin=init, is_package=True)
        spec.submodule_search_locations.append(folder)
        spec.has_location = True
        return spec


def module_name(path):
    folder, file = os.path.split(path)
    stem = file.rpartition(".")[0]
    if not os.path.exists(os.path.join(folder, "__init__.py")):
        return "toolcrib_tool_" + stem
    inner = []
    while os.path.exists(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder, name = os.path.split(folder)
        inner.insert(0, name)
    top = "toolcrib_package_%x" % (hash(folder) & 0xFFFFFFFF)
    packages[top] = folder
    return ".".join([top, *inner, stem])


def has_changed():
    return any(signature(path) != known for path, known in watched.items())


def forget_all():
    """Forgets every module that was read from a watched file, so that all are imported afresh."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in watched:
            del sys.modules[name]
    watched.clear()
    tools.clear()
    sys.path_importer_cache.clear()


def load(tool):
    path = tool["file"]
    known = tools.get(path)
    if known is not None and known[0] == tool["entry"]:
        return known
    prepare_path(tool)
    name = module_name(path)
    loader = Source(name, path)
    spec = ModuleSpec(name, loader, origin=path)
    spec.has_location = True
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    function = getattr(module, tool["entry"], None)
    if not callable(function):
        raise AttributeError("%s defines no function %s" % (os.path.basename(path), tool["entry"]))
    known = tools[path] = (tool["entry"], function, shape_of(function))
    return known


def prepare_path(tool):
    for root in tool["roots"]:
        real = os.path.realpath(root)
        if real not in roots:
            roots.append(real)
            sys.path_importer_cache.clear()
    for folder in tool["path"]:
        if folder not in sys.path:
            sys.path.append(folder)


def shape_of(function):
    """Number of positional parameters (None: any), names it knows, whether it takes any name."""
    code = getattr(function, "__code__", None)
    if code is None:
        import inspect

        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return None, (), True
        positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        starred = any(p.kind == p.VAR_POSITIONAL for p in parameters)
        names = tuple(p.name for p in parameters)
        return None if starred else len(positional), names, any(p.kind == p.VAR_KEYWORD for p in parameters)
    count = code.co_argcount - (1 if getattr(function, "__self__", None) is not None else 0)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return None if code.co_flags & VARARGS else count, names, bool(code.co_flags & VARKEYWORDS)


# Calling

_loop = None


def finish(coroutine):
    """Runs a coroutine on a loop that is kept; tasks it leaves behind are cancelled."""
    global _loop
    import asyncio

    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)
    try:
        return _loop.run_until_complete(coroutine)
    finally:
        left = asyncio.all_tasks(_loop)
        for task in left:
            task.cancel()
        if left:
            _loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


def call(tool, params, project):
    entry, function, (count, names, takes_any) = load(tool)
    if entry == "main":
        if tool.get("drop") and not takes_any:
            params = {key: value for key, value in params.items() if key not in tool["drop"] or key in names}
        value = function(**params)
    elif count is None or count >= 2:
        value = function(params, project)
    elif count == 1:
        value = function(params, project_path=project) if takes_any or "project_path" in names else function(params)
    else:
        value = function(**params) if takes_any else function()
    if hasattr(value, "__await__"):
        value = finish(value)
    return value


def answer(tool, message):
    """The type of the reply and its members."""
    try:
        if has_changed():
            # Where files are held to a seal, the host judges them again and starts another process.
            if seal is not None:
                return b"stale", b""
            forget_all()
        value = call(tool, message["params"], tool["project"])
        if forked:
            os._exit(0)
        if broken is not None:
            return sealed()
        if value is None:
            return b"result", b',"isUndefined":true'
        data = encode(value)
        if len(data) > tool["max"]:
            return b"too-large", b',"bytes":%d' % len(data)
        return b"result", b',"value":' + data
    except SystemExit as leaving:
        if leaving.code is None or leaving.code == 0:
            return b"result", b',"isUndefined":true'
        code = leaving.code if isinstance(leaving.code, int) else 1
        said = "" if isinstance(leaving.code, int) else str(leaving.code)
        return b"exit", b',"code":%d,"message":%s' % (code, encode(said[:8000]))
    except BaseException as error:
        return sealed() if broken is not None else failure(error)


def sealed():
    return b"sealed", b',"file":%s' % encode(broken)


def failure(error):
    import traceback

    try:
        trace = "".join(traceback.format_exception(type(error), error, without_worker(error.__traceback__)))
    except BaseException:
        trace = ""
    try:
        message = str(error)
    except BaseException:
        message = ""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ in ("builtins", None) else "%s.%s" % (kind.__module__, kind.__qualname__)
    return b"error", b',"type":%s,"message":%s,"stack":%s' % (
        encode(name[:200]),
        encode(message[:8000]),
        encode(trace[-16000:]),
    )


def without_worker(trace):
    """The traceback from the tool's own frames on."""
    first = trace
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace or first


def adopt_orphans():
    """Children whose parent ended come to this process, so that none is lost from sight. Linux only."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    except Exception:
        pass


def end_children():
    """A call leaves no process behind."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid:
            continue
        mine = children()
        if not mine:
            return
        for child in mine:
            try:
                os.kill(child, 9)
            except OSError:
                pass
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def children():
    found = []
    try:
        for task in os.listdir("/proc/self/task"):
            with open("/proc/self/task/%s/children" % task) as list_of:
                found.extend(int(pid) for pid in list_of.read().split())
    except OSError:
        pass
    return found


def main():
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != os.path.dirname(os.path.realpath(__file__))]
    sys.dont_write_bytecode = True
    sys.path_hooks.insert(0, source_finder)
    sys.meta_path.insert(0, Packages)
    sys.path_importer_cache.clear()
    sys.modules["_toolcrib_host"] = Host
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=False)
    adopt_orphans()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: forked.append(True))
    out, err = sys.stdout, sys.stderr
    environ = dict(os.environ)
    data = dict(os.environ._data) if hasattr(os.environ, "_data") else None
    write_message(b'{"t":"ready","calls":1}\n')
    while True:
        message = read_message()
        if message is None:
            return
        # A tool is described once and named by its number from then on.
        tool = message.get("describe")
        if tool is None:
            tool = known_tools[message["tool"]]
        else:
            known_tools[message["tool"]] = tool
            global seal
            seal = message.get("seal")
        Host.running = message["id"]
        sys.argv = [tool["file"]]
        if "cwd" in message:
            os.chdir(message["cwd"])
        if "env" in message:
            os.environ.update(message["env"])
        kind, members = answer(tool, message)
        sys.stdout, sys.stderr = out, err
        try:
            out.flush()
            err.flush()
        except (OSError, ValueError):
            pass
        end_children()
        # The next message is not read before the rest is done, so the host need not wait for it.
        write_message(b'{"t":"%s","id":%d%s}\n' % (kind, message["id"], members))
        if os.environ != environ if data is None else os.environ._data != data:
            for name in list(os.environ):
                if name not in environ:
                    del os.environ[name]
            os.environ.update(environ)
        try:
            if os.getcwd() != HOME:
                os.chdir(HOME)
        except OSError:
            os.chdir(HOME)


main()
