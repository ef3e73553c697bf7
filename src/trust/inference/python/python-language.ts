// What Python's names do: built-in functions, the standard library, and the calls of well-known packages.
import { standardPython } from '../../../formats/standard-modules.ts'
import { Language, type LanguageFacts, type Place } from '../language.ts'
import { pythonPackages } from '../packages.ts'
import { rulesOf } from '../rules.ts'
import { exact, given, isExact, textOf, unknown, type Value } from '../value.ts'
import { readPython } from './read-python.ts'

const verbs = 'get post put patch delete head options request stream send'
const each = (prefix: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `${prefix}.${name}`)
    .join(' ')

const lines = {
  'open:0|file':
    'open io.open codecs.open gzip.open bz2.open lzma.open tarfile.open tarfile.TarFile aiofiles.open fileinput.FileInput pathlib.open os.fdopen',
  'read:0|path':
    'os.listdir os.scandir os.walk os.readlink glob.glob glob.iglob linecache.getline linecache.getlines configparser.ConfigParser().read mmap.mmap json.load_file tokenize.open np.load fileinput.input imghdr.what netrc.netrc sqlite3.Blob pandas.read_excel pandas.read_parquet pandas.read_csv pandas.read_json pandas.read_table pandas.read_pickle cv2.imread cv2.CascadeClassifier PIL.Image.open openpyxl.load_workbook dotenv.load_dotenv dotenv.dotenv_values numpy.load numpy.loadtxt numpy.genfromtxt shutil.disk_usage os.open os.statvfs',
  'write:0|path':
    'os.remove os.unlink os.rmdir os.removedirs os.mkdir os.makedirs os.truncate os.chmod os.chown os.mkfifo os.mknod os.utime os.setxattr shutil.rmtree shutil.chown shutil.make_archive sqlite3.connect shelve.open dbm.open logging.FileHandler logging.handlers.RotatingFileHandler pandas.DataFrame().to_csv numpy.save cv2.imwrite matplotlib.pyplot.savefig',
  // A file of code that is run as a program.
  'read:0|path gives:fork': 'runpy.run_path',
  'address:9 dynamic:downloaded': 'torch.hub.load',
  'address:9': 'nltk.download torch.hub.download_url_to_file',
  'read:0|src write:1|dst':
    'shutil.copy shutil.copy2 shutil.copyfile shutil.copytree os.link os.symlink os.rename os.renames os.replace shutil.move',
  'read:0|filename write:1|extract_dir': 'shutil.unpack_archive',
  'open:0|file gives:zipfile.ZipFile()': 'zipfile.ZipFile',
  'write:0|path gives:zipfile.ZipFile()':
    'zipfile.ZipFile().extractall zipfile.ZipFile().extract tarfile.open().extractall',
  'address:0|url gives:downloaded': `${each('requests', 'get post put patch delete head options')} ${each('requests.Session()', 'get post put patch delete head options')} ${each('requests.session()', 'get post put patch delete head options')} ${each('httpx', 'get post put patch delete head options')} ${each('httpx.Client()', verbs.replace('request', ''))} ${each('httpx.AsyncClient()', verbs.replace('request', ''))} ${each('aiohttp.ClientSession()', 'get post put patch delete head options ws_connect')} urllib.request.urlopen urllib2.urlopen urllib.urlopen urllib.request.OpenerDirector().open urllib.request.build_opener().open webbrowser.open websocket.create_connection websockets.connect websockets.sync.client.connect feedparser.parse xmlrpc.client.ServerProxy pandas.read_html urllib3.request wget.download`,
  'address:1|url gives:downloaded':
    'requests.request requests.Session().request httpx.request httpx.stream httpx.Client().request httpx.AsyncClient().request aiohttp.request aiohttp.ClientSession().request urllib3.PoolManager().request urllib3.PoolManager().urlopen requests.Request',
  'address:0|url write:1|filename': 'urllib.request.urlretrieve urllib.urlretrieve',
  'gives:0':
    'urllib.request.Request urllib.request.quote str bytes bytearray repr compile os.fspath os.fsdecode os.fsencode pathlib.PurePath urllib.parse.quote textwrap.dedent ast.parse list tuple asyncio.run asyncio.wait_for iter next contextlib.closing cast typing.cast copy.copy copy.deepcopy os.path.expanduser os.path.expandvars os.path.abspath os.path.realpath os.path.normpath functools.wraps memoryview sys.intern zlib.compress print sorted enumerate asyncio.create_task asyncio.ensure_future asyncio.gather',
  'host:0|host':
    'http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP ftplib.FTP_TLS telnetlib.Telnet poplib.POP3 poplib.POP3_SSL imaplib.IMAP4 imaplib.IMAP4_SSL nntplib.NNTP asyncio.open_connection socket.getaddrinfo socket.gethostbyname socket.gethostbyname_ex paramiko.SSHClient().connect paramiko.Transport redis.Redis redis.StrictRedis pymongo.MongoClient ldap3.Server dns.resolver.resolve dns.resolver.query fabric.Connection psycopg2.connect pymysql.connect mysql.connector.connect',
  'pair:0':
    'socket.create_connection socket.socket().connect socket.socket().connect_ex socket.socket().bind socket.create_server',
  'pair:1': 'socket.socket().sendto',
  'shell:0|cmd':
    'os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput asyncio.create_subprocess_shell popen2.popen2 paramiko.SSHClient().exec_command pexpect.spawn pexpect.run invoke.run',
  'argv:0|args':
    'subprocess.run subprocess.call subprocess.Popen subprocess.check_call subprocess.check_output os.execv os.execve os.execvp os.execvpe os.execl os.execlp os.execle asyncio.create_subprocess_exec os.startfile sh.Command _posixsubprocess.fork_exec pty.spawn',
  'argv:1|path': 'os.spawnv os.spawnve os.spawnvp os.spawnl os.spawnlp os.spawnle os.posix_spawnp',
  'argv:0|path': 'os.posix_spawn',
  'code:0|source':
    'eval exec execfile code.InteractiveInterpreter().runsource code.InteractiveConsole().push types.FunctionType types.CodeType timeit.timeit cProfile.run pdb.run',
  'dynamic:unpickled':
    'pickle.loads pickle.load cPickle.loads pickle.Unpickler dill.loads dill.load cloudpickle.loads joblib.load jsonpickle.decode yaml.unsafe_load yaml.full_load_unsafe shelve.open marshal.load torch.load',
  'gives:decoded:base64':
    'base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes base64.decodestring binascii.a2b_base64',
  'gives:decoded:hex': 'bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex base64.b16decode',
  'gives:decoded:base32': 'base64.b32decode',
  'gives:decoded:other':
    'base64.b85decode base64.a85decode zlib.decompress gzip.decompress bz2.decompress lzma.decompress marshal.loads binascii.a2b_uu zlib.decompressobj cryptography.fernet.Fernet().decrypt codecs.getdecoder',
  'gives:decoded:percent': 'urllib.parse.unquote urllib.parse.unquote_plus urllib.unquote',
  'gives:codec': 'codecs.decode codecs.encode',
  'gives:char': 'chr unichr',
  'gives:reversed': 'reversed',
  'gives:mapped': 'map',
  'import:0|name':
    '__import__ importlib.import_module importlib.__import__ imp.load_module imp.load_source importlib.util.spec_from_file_location runpy.run_module importlib.machinery.SourceFileLoader',
  'gives:attribute': 'getattr operator.attrgetter object.__getattribute__',
  'gives:globals': 'globals locals vars',
  'variable:0|key':
    'os.getenv os.environ.get os.environ.pop os.environ.setdefault os.getenvb os.environb.get os.unsetenv',
  environment:
    'os.environ os.environ.items os.environ.copy os.environ.keys os.environ.values os.environ.__iter__ os.environ.__str__',
  'gives:memory': 'io.StringIO io.BytesIO StringIO.StringIO cStringIO.StringIO',
  'gives:home': 'pathlib.Path.home',
  'gives:here': 'os.getcwd pathlib.Path.cwd os.getcwdb',
  'gives:tmp':
    'tempfile.gettempdir tempfile.mkdtemp tempfile.mkstemp tempfile.NamedTemporaryFile tempfile.TemporaryDirectory tempfile.TemporaryFile tempfile.mktemp',
  'gives:path': 'os.path.join pathlib.Path pathlib.PosixPath posixpath.join',
  'gives:folder': 'os.path.dirname',
  'gives:words': 'shlex.split',
  'gives:given':
    'input raw_input argparse.ArgumentParser().parse_args argparse.ArgumentParser().parse_known_args sys.stdin.read sys.stdin.readline getpass.getpass optparse.OptionParser().parse_args sys.stdin.readlines',
  'gives:call':
    'functools.partial threading.Thread threading.Timer multiprocessing.Process concurrent.futures.ThreadPoolExecutor().submit asyncio.to_thread atexit.register',
  unknown:
    'ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.PyDLL ctypes.WinDLL cffi.FFI ctypes.util.find_library ctypes.windll ctypes.pythonapi',
  'secret:1|username': 'keyring.get_password',
  'persist:crontab': 'crontab.CronTab',
}

const globals = new Set(
  'open eval exec execfile compile __import__ getattr globals locals vars input raw_input chr unichr map str bytes bytearray repr list tuple reversed sorted enumerate iter next print object memoryview __builtins__'.split(
    ' ',
  ),
)

/** Names below which every name is a name of the language or a module. */
const openNames = new Set([
  '__builtins__',
  'builtins',
  '__builtin__',
  'globals()',
  'sys.modules',
  '__globals__',
])
const hidden = new Set(['__subclasses__', '__bases__', '__mro__', '__code__', '__reduce_ex__'])

function member(of: Value, key: Value, { findings, at }: Place): Value | undefined {
  if (of.kind === 'api' && openNames.has(of.name)) {
    if (!isExact(key)) {
      findings.add('code.dynamic', at, 'computed', textOf(key).certainty)
      return unknown
    }
    if (key.text === '__dict__') return of
    if (of.name === 'sys.modules') return { kind: 'api', name: key.text }
    return pythonLanguage().global(key.text) ?? { kind: 'api', name: key.text }
  }
  if (of.kind === 'api' && (of.name === 'os.environ' || of.name === 'os.environb')) {
    if (isExact(key) && pythonLanguage().ruleOf(`os.environ.${key.text}`)) return undefined
    findings.variable(key, at)
    return isExact(key) && key.text === 'HOME' ? exact('~') : unknown
  }
  if (!isExact(key)) return undefined
  if (hidden.has(key.text)) findings.add('code.dynamic', at, 'computed', 'unknown')
  if (key.text === '__globals__' || (key.text === '__builtins__' && of.kind !== 'api'))
    return { kind: 'api', name: '__builtins__' }
  if (key.text === '__dict__' && of.kind === 'api') return of
  if (of.kind === 'api') return pythonLanguage().constant(`${of.name}.${key.text}`)
  return of.kind === 'text' ? pathPart(of, key.text) : undefined
}

/** A path is followed as its text. */
function pathPart(of: Value & { readonly kind: 'text' }, key: string): Value | undefined {
  if (key === 'parent') return { ...of, text: of.text.replace(/\/?[^/]*$/, '') || '.' }
  return key === 'parents' ? given : undefined
}

/** Modules of the standard library that have other names since. */
const ofPython2 = new Set(
  'BaseHTTPServer CGIHTTPServer ConfigParser Cookie HTMLParser Queue SimpleHTTPServer SocketServer StringIO Tkinter cPickle cStringIO commands cookielib dummy_thread exceptions htmlentitydefs httplib md5 new popen2 robotparser sets sha thread tkFileDialog tkMessageBox ttk urllib2 urlparse xmlrpclib'.split(
    ' ',
  ),
)

const readers = new Set(['read_text', 'read_bytes', 'iterdir', 'rglob', 'readlink'])
const writers = new Set([
  'write_text',
  'write_bytes',
  'unlink',
  'touch',
  'rmdir',
  'symlink_to',
  'hardlink_to',
  'mkdir',
])

const saving = /^(?:save|savefig|to_(?:csv|excel|json|parquet|pickle|html|feather|hdf))$/

const facts: Omit<LanguageFacts, 'rules'> = {
  globals,
  constants: {
    'sys.argv': given,
    'sys.stdin': given,
    'os.sep': exact('/'),
    'os.curdir': exact('.'),
    'sys.executable': exact('python3'),
    __file__: exact('{tool}/.'),
    __name__: exact('__main__'),
    'os.linesep': exact('\n'),
  },
  packages: pythonPackages,
  moduleName: (specifier) => (specifier.startsWith('.') ? null : specifier),
  packageOf(module) {
    const root = module.split('.')[0]!
    return standardPython.has(root) || ofPython2.has(root) || root.startsWith('_') ? null : root
  },
  canonical: (name) =>
    name
      .replace(/^(?:builtins|__builtins__|__builtin__)\./, '')
      .replace(/^posix\./, 'os.')
      .replace(/^httplib\./, 'http.client.')
      // Modules of the standard library lend out those they import: `random._os.system`.
      .replace(/^\w+\._?(os|subprocess|shutil|socket|builtins|codecs|io)\./, '$1.')
      .replace(/^six\.moves\./, '')
      .replace(/^requests\.(?:api|sessions)\./, 'requests.'),
  member,
  method({ name, of }, { args, at }, findings) {
    if (readers.has(name)) return void findings.path('fs.read', of, at)
    if (writers.has(name)) return void findings.path('fs.write', of, at)
    // Pictures, tables, documents: `.save(path)`, where the path looks like one.
    if (saving.test(name) && args[0]?.kind === 'text' && (name !== 'save' || /\.\w{2,5}$/.test(args[0].text)))
      return void findings.path('fs.write', args[0], at)
    if (name === 'rename' && of.kind === 'text' && args.length === 1)
      return void findings.path('fs.write', args[0], at)
    if (name === 'open' && of.kind === 'text') {
      const mode = args[0] ? textOf(args[0]).text : 'r'
      return void findings.path(/[wax+]/.test(mode) ? 'fs.write' : 'fs.read', of, at)
    }
    return undefined
  },
  read: readPython,
}

let language: Language | undefined

/** Made when the first text needs it. */
export function pythonLanguage(): Language {
  language ??= new Language({ ...facts, rules: rulesOf(lines) })
  return language
}
