// Ways out that any tool can try which may start a program, whatever its language: scripts for a shell, which exit
// with 0 when they got out. Each language wraps them in its own way of starting one.
import type { EscapeCase } from './grounds.ts'

export const given = (name: string, wall: EscapeCase['wall'], code: string): EscapeCase => ({
  name,
  wall,
  code,
})

const perl = (name: string, wall: EscapeCase['wall'], code: string): EscapeCase =>
  given(name, wall, `perl -e '${code}'`)

/** A call of the kernel by its number on x86-64 and on AArch64, where most programs have no name for it. */
const kernelCall = (
  name: string,
  wall: EscapeCase['wall'],
  [x64, arm64]: readonly [number, number],
  args: string,
): EscapeCase =>
  perl(
    name,
    wall,
    `my $b = "\\0" x 256; syscall(${process.arch === 'arm64' ? arm64 : x64}, ${args}) >= 0 or die "$!\\n"`,
  )

export const sharedCases: readonly EscapeCase[] = [
  // out of the session, into another program
  given('leave its session and write outside', 'mounts', 'setsid sh -c "echo x > @outside@/target"'),
  given('fork twice and write outside', 'mounts', '( ( echo x > @outside@/target ) ) || exit 1'),
  given('preload a library', 'mounts', 'LD_PRELOAD=/tmp/none.so cat @outside@/secret'),
  kernelCall('trace the host process', 'pids', [101, 117], '16, @pid@, 0, 0'),
  kernelCall('open a handle on a process of the host', 'pids', [434, 434], '@sentinel@, 0'),
  kernelCall(
    'read the memory of the host process',
    'pids',
    [310, 270],
    '@pid@, my $to = pack("P Q", $b, 8), 1, my $from = pack("Q Q", 4194304, 8), 1, 0',
  ),
  perl(
    'push characters into a terminal',
    'mounts',
    'open T, "+<", "/dev/tty" or die "$!\\n"; ioctl(T, 0x5412, "x") or die "$!\\n"',
  ),
  // namespaces, mounts, devices
  given('make a user namespace', 'capabilities', 'unshare -Ur true'),
  kernelCall('make a user namespace by the bare call', 'capabilities', [272, 97], '0x10000000'),
  given('mount a file system', 'capabilities', 'mount -t tmpfs none /tmp'),
  given('lift the mask', 'capabilities', 'umount -l .toolcrib'),
  given('make a device', 'capabilities', 'mknod /tmp/disk b 8 0'),
  given('enter a namespace', 'capabilities', 'nsenter -t $$ -m -n true'),
  kernelCall('open a file by its handle', 'seccomp', [304, 265], '-100, $b, 0'),
  kernelCall('open a tree of mounts', 'seccomp', [428, 428], '-100, $b, 1'),
  // the kernel's side doors
  kernelCall('queue calls past the filter', 'seccomp', [425, 425], '8, $b'),
  kernelCall('load a program into the kernel', 'seccomp', [321, 280], '0, $b, 64'),
  kernelCall('read the keys of the session', 'seccomp', [250, 219], '0, -3, 0'),
  kernelCall('hold up the kernel at a page', 'seccomp', [323, 282], '0'),
  perl('talk to the hypervisor', 'seccomp', 'socket(my $s, 40, 1, 0) or die "$!\\n"'),
  perl('use the ciphers of the kernel', 'seccomp', 'socket(my $s, 38, 5, 0) or die "$!\\n"'),
  // programs of the host, through the links of /proc
  perl('overwrite the program it runs in', 'readOnly', 'open F, "+<", "/proc/self/exe" or die "$!\\n"'),
  // To the rights it has already: should it ever succeed, nothing of the host is changed.
  perl(
    'change the rights of the fence by the link to its program',
    'mounts',
    'chmod(0755, "/proc/1/exe") or die "$!\\n"',
  ),
  perl(
    'change the time of the program it runs in',
    'readOnly',
    'utime((stat "/proc/self/exe")[8, 9], "/proc/self/exe") or die "$!\\n"',
  ),
  perl(
    'reach the root of the first process of its world',
    'mounts',
    'open F, "<", "/proc/1/root@outside@/secret" or die "$!\\n"',
  ),
  perl(
    'reach the folder of the first process of its world',
    'mounts',
    'open F, "<", "/proc/1/cwd/../../../../../../..@outside@/secret" or die "$!\\n"',
  ),
  // programs that no file holds
  perl(
    'run a program from memory and read outside',
    'mounts',
    `my $n = "x"; my $fd = syscall(${process.arch === 'arm64' ? 279 : 319}, $n, 0); die "$!\\n" if $fd < 0; open(my $m, ">&=", $fd); syswrite $m, "#!/bin/sh\\ncat @outside@/secret\\n"; system("/proc/$$/fd/$fd") == 0 or exit 1`,
  ),
  // memory that is shared between programs
  given('read the shared memory of the host', 'mounts', 'cat /dev/shm/@shared@'),
  given('find a message queue of the host', 'mounts', 'cat /dev/mqueue/@shared@'),
]
