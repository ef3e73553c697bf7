// What a hostile Python tool tries. Each snippet returns normally when it got out and raises when it did not.
import type { EscapeCase } from './grounds.ts'
import { given, sharedCases } from './shared-cases.ts'

const read = (name: string, path: string, wall: EscapeCase['wall'] = 'mounts'): EscapeCase => ({
  name,
  wall,
  code: `open(${path}).read(1)`,
})
const write = (name: string, path: string, wall: EscapeCase['wall']): EscapeCase => ({
  name,
  wall,
  code: `open(${path}, 'a').write('x')`,
})
/** Opens only: should it ever succeed, nothing of the host is changed. */
const openForWriting = (name: string, path: string, wall: EscapeCase['wall']): EscapeCase => ({
  name,
  wall,
  code: `os.open(${path}, os.O_WRONLY)`,
})
/** A call of the C library, or by number (`nr`) where it has no name there. */
const call = (name: string, expression: string): EscapeCase => ({
  name,
  wall: 'capabilities',
  code: `check(libc.${expression})`,
})
const tcp = (name: string, family: string, address: string): EscapeCase => ({
  name,
  wall: 'network',
  code: `s = socket.socket(socket.${family}); s.settimeout(3); s.connect(${address}); s.recv(1)`,
})

export const pythonCases: readonly EscapeCase[] = [
  // reading
  read('read a file outside by its path', `'@outside@/secret'`),
  read('read a file outside with ..', `'../' * 12 + '@outside@/secret'`),
  read('read through a link of the project', `'link/secret'`),
  read('read through a link to the file itself', `'out/filelink'`),
  {
    name: 'read through a link made in /tmp',
    wall: 'mounts',
    code: `os.symlink('@outside@', '/tmp/l1'); open('/tmp/l1/secret').read()`,
  },
  {
    name: 'read through a link made in the writable folder',
    wall: 'mounts',
    code: `os.symlink('@outside@/secret', 'out/l2'); open('out/l2').read()`,
  },
  {
    name: 'hard-link a file outside into the project',
    wall: 'mounts',
    code: `os.link('@outside@/secret', 'out/hard')`,
  },
  read('read the password hashes', `'/etc/shadow'`),
  read('read the key of the host', `'/etc/ssh/ssh_host_ed25519_key'`),
  read('read the sudo rules', `'/etc/sudoers'`),
  { name: 'list the folder outside', wall: 'mounts', code: `os.listdir('@outside@')` },
  {
    name: 'walk up from an opened folder',
    wall: 'mounts',
    code: `fd = os.open('.', os.O_RDONLY); os.open('../' * 12 + '@outside@/secret', os.O_RDONLY, dir_fd=fd)`,
  },
  read('read the home folder of the user', `'@home@/.bashrc'`),
  read('read the SSH keys', `os.path.expanduser('~/.ssh/id_ed25519')`),
  read('read the log of the system', `'/var/log/dpkg.log'`),
  read('read the machine id', `'/etc/machine-id'`),
  { name: 'look into /sys', wall: 'mounts', code: `os.listdir('/sys/class')` },
  { name: 'look into /run', wall: 'mounts', code: `os.listdir('/run/systemd')` },
  { name: 'look into /boot', wall: 'mounts', code: `os.listdir('/boot')` },
  {
    name: 'open a disk',
    wall: 'mounts',
    code: `[os.open(d, os.O_RDONLY) for d in ['/dev/vda', '/dev/sda', '/dev/nvme0n1']]`,
  },
  { name: 'open physical memory', wall: 'mounts', code: `os.open('/dev/mem', os.O_RDONLY)` },
  { name: 'open kernel memory', wall: 'capabilities', code: `os.open('/proc/kcore', os.O_RDONLY)` },
  { name: 'open the kernel log', wall: 'mounts', code: `os.open('/dev/kmsg', os.O_RDONLY)` },
  read('read the state of the crib', `'.toolcrib/token'`, 'mask'),
  read('read the state of the crib by a detour', `'docs/../.toolcrib/token'`, 'mask'),
  read('read the state of the crib through /proc', `'/proc/self/cwd/.toolcrib/token'`, 'mask'),
  { name: 'lift the mask by moving it', wall: 'mask', code: `os.rename('.toolcrib', 'out/t')` },
  // /proc
  read('go through the root of init', `'/proc/1/root@outside@/secret'`),
  read('go through its own root', `'/proc/self/root@outside@/secret'`),
  read('go through the root of a thread', `'/proc/thread-self/root@outside@/secret'`),
  read('read the environment of the host process', `'/proc/@pid@/environ'`, 'pids'),
  {
    name: 'find the canary in any environment',
    wall: 'environment',
    code: `found = [p for p in glob.glob('/proc/[0-9]*/environ') if 'canary' in tryread(p)]\nif not found: raise Exception('nothing')`,
  },
  read('read the memory of the host process', `'/proc/@pid@/mem'`, 'pids'),
  { name: 'follow the folder of the host process', wall: 'pids', code: `os.readlink('/proc/@pid@/cwd')` },
  openForWriting('set the core pattern', `'/proc/sys/kernel/core_pattern'`, 'readOnly'),
  openForWriting('trigger sysrq', `'/proc/sysrq-trigger'`, 'readOnly'),
  openForWriting('change a kernel setting', `'/proc/sys/vm/overcommit_memory'`, 'readOnly'),
  // environment and descriptors
  {
    name: 'find the canary in its own environment',
    wall: 'environment',
    code: `if not any('canary' in v for v in os.environ.values()): raise Exception('nothing')`,
  },
  {
    name: 'find a descriptor of the host',
    wall: 'environment',
    code: `found = [f for f in range(3, 1024) if fdtarget(f) not in (None, '/dev/null') and not fdtarget(f).startswith(('/proc/', '@project@'))]\nif not found: raise Exception('nothing')`,
  },
  {
    name: 'reach the host through a descriptor of another process',
    wall: 'environment',
    code: `found = [l for l in glob.glob('/proc/[0-9]*/fd/*') if '@outside@' in trylink(l)]\nif not found: raise Exception('nothing')`,
  },
  // writing
  write('write a file outside', `'@outside@/target'`, 'mounts'),
  write('write through a link of the project', `'link/target'`, 'mounts'),
  write('write a file of the project', `'b.md'`, 'readOnly'),
  write('make a file in the project', `'new.md'`, 'readOnly'),
  openForWriting('write the settings', `'toolcrib.yaml'`, 'readOnly'),
  { name: 'remove a file of the project', wall: 'readOnly', code: `os.remove('b.md')` },
  {
    name: 'rename over a file of the project',
    wall: 'readOnly',
    code: `open('out/n', 'w').write('x'); os.rename('out/n', 'b.md')`,
  },
  { name: 'truncate a file of the project', wall: 'readOnly', code: `os.truncate('b.md', 0)` },
  {
    name: 'reopen a read-only file for writing through /proc',
    wall: 'readOnly',
    code: `f = open('b.md'); os.open('/proc/self/fd/%d' % f.fileno(), os.O_RDWR)`,
  },
  { name: 'change the mode of a file of the project', wall: 'readOnly', code: `os.chmod('b.md', 0o777)` },
  {
    name: 'link a file of the project into the writable folder',
    wall: 'readOnly',
    code: `os.link('b.md', 'out/b-hard'); open('out/b-hard', 'a').write('x')`,
  },
  openForWriting('write the user database', `'/etc/passwd'`, 'readOnly'),
  write('plant a program', `'/usr/bin/toolcrib-evil'`, 'readOnly'),
  write('plant a library', `'/usr/lib/evil.so'`, 'readOnly'),
  openForWriting('preload a library into everything', `'/etc/ld.so.preload'`, 'mounts'),
  write('plant a scheduled task', `'/etc/cron.d/evil'`, 'mounts'),
  {
    name: 'swap its writable folder for a link',
    wall: 'readOnly',
    code: `os.rename('out', 'out2'); os.symlink('@outside@', 'out')`,
  },
  {
    name: 'write through a link in the writable folder',
    wall: 'mounts',
    code: `os.symlink('@outside@/target', 'out/l3'); open('out/l3', 'r+').write('x')`,
  },
  // system calls
  call('mount a file system', `mount(b'none', b'/tmp', b'tmpfs', 0, None)`),
  call('bind the root elsewhere', `mount(b'/', b'/tmp', None, 4096, None)`),
  call('remount the project writable', `mount(None, b'@project@', None, 32 | 4096, None)`),
  call('remount the root writable', `mount(None, b'/', None, 32, None)`),
  call('unmount the mask', `umount2(b'@project@/.toolcrib', 2)`),
  call('unmount the project', `umount2(b'@project@', 2)`),
  call('change the root', `chroot(b'/tmp')`),
  call('pivot the root', `syscall(nr['pivot_root'], b'/tmp', b'/tmp')`),
  call('make a user namespace', `unshare(0x10000000)`),
  call('make a mount namespace', `unshare(0x00020000)`),
  {
    name: 'enter the namespace of the host process',
    wall: 'pids',
    code: `os.open('/proc/@pid@/ns/mnt', os.O_RDONLY)`,
  },
  call('set the name of the machine', `sethostname(b'evil', 4)`),
  call('load a kernel module', `syscall(nr['init_module'], b'', 0, b'')`),
  {
    name: 'read the keys of the session',
    wall: 'seccomp',
    code: `check(libc.syscall(nr['keyctl'], 0, -3, 0))`,
  },
  {
    name: 'load a program into the kernel',
    wall: 'seccomp',
    code: `check(libc.syscall(nr['bpf'], 0, b'\\0' * 64, 64))`,
  },
  {
    name: 'watch the processor',
    wall: 'seccomp',
    code: `check(libc.syscall(nr['perf_event_open'], b'\\0' * 128, 0, -1, -1, 0))`,
  },
  {
    name: 'queue calls past the filter',
    wall: 'seccomp',
    code: `check(libc.syscall(425, 8, ctypes.create_string_buffer(120)))`,
  },
  {
    name: 'catch page faults of the kernel',
    wall: 'seccomp',
    code: `check(libc.syscall(nr['userfaultfd'], 1))`,
  },
  {
    name: 'read the log of the kernel',
    wall: 'seccomp',
    code: `check(libc.klogctl(3, ctypes.create_string_buffer(4096), 4096))`,
  },
  { name: 'talk to the hypervisor', wall: 'seccomp', code: `socket.socket(40, socket.SOCK_STREAM)` },
  { name: 'talk to a radio', wall: 'seccomp', code: `socket.socket(31, socket.SOCK_RAW, 1)` },
  { name: 'open a tree of mounts', wall: 'seccomp', code: `check(libc.syscall(428, -100, b'/', 0))` },
  call('rule over the restart key', `reboot(0)`),
  call(
    'open a file by its handle',
    `open_by_handle_at(0, b'\\x08\\0\\0\\0\\x01\\0\\0\\0' + b'\\x02' + b'\\0' * 15, 0)`,
  ),
  call('make a device', `mknod(b'/tmp/disk', 0o60600, (254 << 8))`),
  call('become another user', `setuid(1000)`),
  call('raise its own limits', `setrlimit(4, b'\\xff' * 16)`),
  { name: 'trace the host process', wall: 'pids', code: `check(libc.ptrace(16, @pid@, 0, 0))` },
  { name: 'read the memory of the host process by number', wall: 'pids', code: `os.kill(@pid@, 0)` },
  { name: 'end a process of the host', wall: 'pids', code: `os.kill(@sentinel@, 9)` },
  { name: 'end the process that started it', wall: 'pids', code: `os.kill(os.getppid() + 100000, 9)` },
  {
    name: 'find shared memory of the host',
    wall: 'environment',
    code: `if len(open('/proc/sysvipc/shm').readlines()) <= 1: raise Exception('nothing')`,
  },
  // network
  tcp('connect to a server of the host', 'AF_INET', `('127.0.0.1', @port@)`),
  tcp('connect by another loopback address', 'AF_INET', `('127.5.5.5', @port@)`),
  tcp('connect to all addresses', 'AF_INET', `('0.0.0.0', @port@)`),
  tcp('connect by IPv6', 'AF_INET6', `('::1', @port@)`),
  tcp('connect by a mapped address', 'AF_INET6', `('::ffff:127.0.0.1', @port@)`),
  tcp('connect to the metadata service', 'AF_INET', `('169.254.169.254', 80)`),
  tcp('connect to a public address', 'AF_INET', `('1.1.1.1', 443)`),
  tcp('connect to a public IPv6 address', 'AF_INET6', `('2606:4700:4700::1111', 443)`),
  tcp('connect to a private address', 'AF_INET', `('10.0.0.1', 80)`),
  tcp('connect by a decimal address', 'AF_INET', `('2130706433', @port@)`),
  tcp('connect to a socket file', 'AF_UNIX', `'@outside@/sock'`),
  tcp('connect to an abstract socket', 'AF_UNIX', `'\\0@abstract@'`),
  tcp('connect to the container engine', 'AF_UNIX', `'/var/run/docker.sock'`),
  tcp('connect to the message bus', 'AF_UNIX', `'/run/dbus/system_bus_socket'`),
  { name: 'resolve a name', wall: 'network', code: `socket.getaddrinfo('example.com', 80)` },
  {
    name: 'ask a name server itself',
    wall: 'network',
    code: `s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(3); s.sendto(b'x' * 12, ('8.8.8.8', 53))`,
  },
  {
    name: 'open a raw socket',
    wall: 'capabilities',
    code: `socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)`,
  },
  {
    name: 'listen to packets',
    wall: 'seccomp',
    code: `socket.socket(socket.AF_PACKET, socket.SOCK_RAW)`,
  },
  // other ways round
  {
    name: 'keep rights across a set-uid program',
    wall: 'environment',
    code: `import shutil\nshutil.copy('/usr/bin/id', '/tmp/id'); os.chmod('/tmp/id', 0o4755)\nif 'NoNewPrivs:\\t1' in open('/proc/self/status').read(): raise Exception('nothing')`,
  },
  {
    name: 'hold a capability',
    wall: 'environment',
    code: `caps = re.findall(r'Cap(?:Inh|Prm|Eff|Bnd|Amb):\\s*(\\w+)', open('/proc/self/status').read())\nif all(int(c, 16) == 0 for c in caps): raise Exception('nothing')`,
  },
  {
    name: 'write a program and let it read outside',
    wall: 'mounts',
    code: `open('/tmp/p.sh', 'w').write('#!/bin/sh\\ncat @outside@/secret'); os.chmod('/tmp/p.sh', 0o755)\nr = subprocess.run(['/tmp/p.sh'], capture_output=True, text=True)\nif r.returncode: raise Exception(r.stderr)`,
  },
  {
    name: 'preload a library into a helper',
    wall: 'mounts',
    code: `r = subprocess.run(['/bin/cat', '@outside@/secret'], env={'LD_PRELOAD': '/tmp/none.so'}, capture_output=True, text=True)\nif r.returncode: raise Exception(r.stderr)`,
  },
  ...sharedCases.map(({ name, wall, code }) =>
    given(`${name}, in a shell`, wall, `sh(${JSON.stringify(code)})`),
  ),
]

/** Runs all cases in one process: numbered lines of JSON, `ok` meaning that it got out. */
export const pythonDriver = `
import ctypes, errno, glob, json, os, platform, re, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
nr = {'x86_64': {'pivot_root': 155, 'init_module': 175, 'keyctl': 250, 'bpf': 321, 'perf_event_open': 298, 'userfaultfd': 323}, 'aarch64': {'pivot_root': 41, 'init_module': 105, 'keyctl': 219, 'bpf': 280, 'perf_event_open': 241, 'userfaultfd': 282}}[platform.machine()]
def check(result):
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def sh(script):
    r = subprocess.run(['/bin/sh', '-c', script], capture_output=True, text=True, timeout=8, env={'PATH': '/usr/sbin:/usr/bin:/sbin:/bin'})
    if r.returncode: raise Exception(r.stderr)
def tryread(path):
    try: return open(path, errors='replace').read()
    except OSError: return ''
def trylink(path):
    try: return os.readlink(path)
    except OSError: return ''
def fdtarget(fd):
    try: return os.readlink('/proc/self/fd/%d' % fd)
    except OSError: return None
for index, code in enumerate(json.load(open(sys.argv[1]))):
    try:
        exec(code, dict(globals()))
        result = {'escaped': True, 'error': ''}
    except BaseException as e:
        name = errno.errorcode.get(e.errno, '') if isinstance(e, OSError) and e.errno and e.errno > 0 else ''
        result = {'escaped': False, 'error': '%s %s %s' % (type(e).__name__, name, e)}
    print(json.dumps({'index': index, **result}), flush=True)
`
