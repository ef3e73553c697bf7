// What a hostile shell command tries. Each script exits with 0 when it got out.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CaseResult, EscapeCase, Grounds } from './grounds.ts'
import { given, sharedCases } from './shared-cases.ts'

const none = 'echo nothing >&2; exit 1'

export const shellCases: readonly EscapeCase[] = [
  // reading
  given('cat a file outside', 'mounts', 'cat @outside@/secret'),
  given('cat a file outside with ..', 'mounts', 'cat ../../../../../../../..@outside@/secret'),
  given('cat through a link of the project', 'mounts', 'cat link/secret'),
  given('cat through a link to the file itself', 'mounts', 'cat out/filelink'),
  given('cat through a new link', 'mounts', 'ln -sf @outside@/secret /tmp/s && cat /tmp/s'),
  given('hard-link a file outside', 'mounts', 'ln @outside@/secret out/h'),
  given('copy a file outside', 'mounts', 'cp @outside@/secret out/c'),
  given('redirect from a file outside', 'mounts', 'read x < @outside@/secret'),
  given('source a file outside', 'mounts', '. @outside@/secret'),
  given('list the folder outside', 'mounts', 'ls @outside@'),
  given(
    'find the canary anywhere',
    'environment',
    `grep -rl canary- /etc /home /root /var /opt /srv /mnt 2>/dev/null && exit 0; ${none}`,
  ),
  given('archive the home folder', 'mounts', 'tar cf /tmp/h.tar @home@/.bashrc'),
  given('read the password hashes', 'mounts', 'cat /etc/shadow'),
  given('read the sudo rules', 'mounts', 'cat /etc/sudoers'),
  given('read the keys of the host', 'mounts', 'cat /etc/ssh/ssh_host_rsa_key'),
  given('read the logs', 'mounts', 'ls /var/log/dpkg.log'),
  given('read what the kernel shows in /sys', 'mounts', 'cat /sys/kernel/uevent_seqnum'),
  given(
    'read the disk',
    'mounts',
    'dd if=/dev/vda of=/dev/null count=1 || dd if=/dev/sda of=/dev/null count=1',
  ),
  given('read physical memory', 'mounts', 'dd if=/dev/mem of=/dev/null count=1'),
  given('read the state of the crib', 'mask', 'cat .toolcrib/token'),
  given('read the state of the crib by a glob', 'mask', 'cat .tool*/*'),
  given(
    'read the state of the crib by its inode',
    'environment',
    `find . -name token 2>/dev/null | grep . && exit 0; ${none}`,
  ),
  given('move the mask away', 'mask', 'mv .toolcrib out/x'),
  given('change into the folder outside', 'mounts', 'cd @outside@'),
  // /proc
  given('go through the root of init', 'mounts', 'cat /proc/1/root@outside@/secret'),
  given('go through its own root', 'mounts', 'cat /proc/self/root@outside@/secret'),
  given('read the environment of the host process', 'pids', 'cat /proc/@pid@/environ'),
  given('read the arguments of the host process', 'pids', 'cat /proc/@pid@/cmdline'),
  given(
    'find the canary in any environment',
    'environment',
    `cat /proc/[0-9]*/environ 2>/dev/null | grep -a canary- && exit 0; ${none}`,
  ),
  given(
    'find the canary in any arguments',
    'environment',
    `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -a 'canary-[0-9]' && exit 0; ${none}`,
  ),
  given(
    'follow the descriptors of other processes',
    'environment',
    `ls -l /proc/[0-9]*/fd 2>/dev/null | grep -F @outside@ && exit 0; ${none}`,
  ),
  given('open the core pattern', 'readOnly', 'exec 9>>/proc/sys/kernel/core_pattern'),
  given('open a kernel setting', 'readOnly', 'exec 9>>/proc/sys/kernel/hostname'),
  given('open the table of user ids', 'readOnly', 'exec 9>>/proc/self/uid_map'),
  given(
    'see processes of the host',
    'environment',
    `[ "$(ls -d /proc/[0-9]* | wc -l)" -gt 40 ] && exit 0; ${none}`,
  ),
  // environment and descriptors
  given('find the canary in its environment', 'environment', `env | grep canary- && exit 0; ${none}`),
  given(
    'see the variables of the host',
    'environment',
    `[ "$TOOLCRIB_ESCAPE_CANARY$USER$LOGNAME$SSH_AUTH_SOCK" ] && exit 0; ${none}`,
  ),
  given(
    'use a descriptor of the host',
    'environment',
    `for fd in 3 4 5 6 7 8; do [ -e /proc/self/fd/$fd ] && readlink /proc/self/fd/$fd | grep -v -e /dev/null -e /proc -e case && exit 0; done; ${none}`,
  ),
  given('get a terminal', 'mounts', 'sh -c "exec 9<>/dev/tty"'),
  // writing
  given('write a file outside', 'mounts', 'echo x > @outside@/target'),
  given('write through a link of the project', 'mounts', 'echo x > link/target'),
  given('write through a link of its own', 'mounts', 'ln -sf @outside@/target out/t; echo x > out/t'),
  given('write a file of the project', 'readOnly', 'echo x > b.md'),
  given('append to a file of the project', 'readOnly', 'echo x >> docs/a.md'),
  given('make a file in the project', 'readOnly', 'touch new.md'),
  given('remove a file of the project', 'readOnly', 'rm -f b.md'),
  given('move a file of the project', 'readOnly', 'mv b.md out/'),
  given('change the mode of a file', 'readOnly', 'chmod 777 b.md'),
  given('write the settings', 'readOnly', 'echo "trust: off" > toolcrib.yaml'),
  given('swap its folder for a link', 'readOnly', 'mv out out2 && ln -s @outside@ out'),
  given('write the user database', 'readOnly', 'exec 9>>/etc/passwd'),
  given('plant a program', 'readOnly', 'echo x > /usr/bin/toolcrib-evil'),
  given('plant a program in the root', 'readOnly', 'echo x > /evil'),
  given('plant a start file of the host', 'environment', `echo x >> @home@/.bashrc; ${none}`),
  given('plant a scheduled task', 'mounts', 'echo "* * * * * root id" > /etc/cron.d/evil'),
  given('plant a preloaded library', 'readOnly', 'echo /tmp/x.so > /etc/ld.so.preload'),
  given('keep a file in /tmp of the host', 'environment', `echo x > /tmp/toolcrib-escape-@pid@; ${none}`),
  // rights
  given('remount the project writable', 'capabilities', 'mount -o remount,rw,bind @project@'),
  given('unmount the mask', 'capabilities', 'umount -l .toolcrib'),
  given('unmount the project', 'capabilities', 'umount -l @project@'),
  given('change the root', 'capabilities', 'chroot /tmp /bin/true'),
  given('make a mount namespace', 'capabilities', 'unshare -m true'),
  given('make a network namespace', 'capabilities', 'unshare -n true'),
  given('enter the namespaces of the host process', 'pids', 'nsenter -t @pid@ -m true'),
  given('enter the namespaces of init', 'mounts', 'nsenter -t 1 -m -n -p true'),
  given('nest another bubblewrap', 'capabilities', 'bwrap --unshare-user --bind / / true'),
  given('name the machine', 'capabilities', 'hostname evil'),
  given('set the clock', 'capabilities', 'date -s "2030-01-01"'),
  given('become another user', 'capabilities', 'setpriv --reuid 1000 --clear-groups true'),
  given('give away a file', 'capabilities', 'touch /tmp/f && chown 1000:1000 /tmp/f'),
  given(
    'gain rights by a set-uid copy',
    'environment',
    `cp /usr/bin/id /tmp/id && chmod u+s /tmp/id; grep -q 'NoNewPrivs:.1' /proc/self/status || exit 0; ${none}`,
  ),
  given(
    'hold a capability',
    'environment',
    `grep -E 'Cap(Prm|Eff|Bnd|Amb)' /proc/self/status | grep -qv '0000000000000000' && exit 0; ${none}`,
  ),
  given('end a process of the host', 'pids', 'kill -9 @sentinel@'),
  given('stop the host process', 'pids', 'kill -STOP @pid@'),
  given('raise its priority', 'capabilities', 'renice -n -20 -p $$'),
  given('raise its own limits', 'capabilities', 'ulimit -Hc unlimited'),
  // network
  given('connect to a server of the host', 'network', 'curl -sS -m 3 http://127.0.0.1:@port@/'),
  given('connect by name', 'network', 'curl -sS -m 3 http://localhost:@port@/'),
  given('connect by IPv6', 'network', 'curl -sS -m 3 "http://[::1]:@port@/"'),
  given('connect by a mapped address', 'network', 'curl -sS -m 3 "http://[::ffff:127.0.0.1]:@port@/"'),
  given('connect by a decimal address', 'network', 'curl -sS -m 3 http://2130706433:@port@/'),
  given('connect by a hexadecimal address', 'network', 'curl -sS -m 3 http://0x7f000001:@port@/'),
  given('connect by an octal address', 'network', 'curl -sS -m 3 http://0177.0.0.1:@port@/'),
  given('connect by a short address', 'network', 'curl -sS -m 3 http://127.1:@port@/'),
  given('connect to the metadata service', 'network', 'curl -sS -m 3 http://169.254.169.254/'),
  given('connect to a public address', 'network', 'curl -sS -m 3 http://1.1.1.1/'),
  given('connect to a public IPv6 address', 'network', 'curl -sS -m 3 "http://[2606:4700:4700::1111]/"'),
  given('resolve a name', 'network', 'curl -sS -m 3 http://example.com/'),
  given(
    'tunnel through a proxy of the host',
    'network',
    'curl -sS -m 3 -x http://127.0.0.1:@port@ http://example.com/',
  ),
  given('connect to a socket file', 'network', 'curl -sS -m 3 --unix-socket @outside@/sock http://x/'),
  given(
    'connect to an abstract socket',
    'network',
    'curl -sS -m 3 --abstract-unix-socket @abstract@ http://x/',
  ),
  given(
    'connect to the container engine',
    'network',
    'curl -sS -m 3 --unix-socket /var/run/docker.sock http://x/',
  ),
  given('use the shell’s own sockets', 'network', 'bash -c "exec 9<>/dev/tcp/127.0.0.1/@port@"'),
  given(
    'read a file through curl',
    'mounts',
    'curl -sS file://@outside@/secret || { echo No such file >&2; exit 1; }',
  ),
  // other ways round
  given(
    'write a script and let it read outside',
    'mounts',
    'printf "#!/bin/sh\\ncat @outside@/secret" > out/p.sh; chmod +x out/p.sh; out/p.sh',
  ),
  given(
    'let another interpreter read outside',
    'mounts',
    'perl -e \'open F, "<", "@outside@/secret" or die $!; print <F>\'',
  ),
  given('load a library from outside', 'mounts', 'LD_LIBRARY_PATH=@outside@ cat @outside@/secret'),
  given(
    'run the loader by hand',
    'mounts',
    '$(ls /lib64/ld-linux*.so* /lib/ld-linux*.so* 2>/dev/null | head -1) /bin/cat @outside@/secret',
  ),
  given('use git to run outside', 'mounts', 'git -C @outside@ status'),
  given('set a trap for the end', 'mounts', "trap 'cat @outside@/secret' EXIT; cat @outside@/secret"),
  ...sharedCases,
]

/** Writes each case into a script of its own. */
export function writeShellCases(grounds: Grounds): void {
  const folder = join(grounds.crib.project, 'cases')
  mkdirSync(folder)
  shellCases.forEach(({ code }, index) => {
    writeFileSync(join(folder, `${String(index).padStart(3, '0')}.sh`), grounds.fill(code))
  })
}

/** What the driver printed, by case. */
export function readShellResults(printed: string): Map<number, CaseResult> {
  const results = new Map<number, CaseResult>()
  for (const block of printed.split('@@').slice(1)) {
    const [, number, code, said] = /^(\d+)\.sh (\d+)\n([\s\S]*)$/.exec(block) ?? []
    const index = Number(number)
    results.set(index, { index, escaped: code === '0', error: (said ?? '').trim() })
  }
  return results
}

/** Runs the scripts of a folder one after the other; for each its exit code and what it said. */
export const shellDriver = `
for case in cases/*.sh; do
  out=$(timeout 8 sh "$case" 2>&1 </dev/null); code=$?
  printf '@@%s %s\\n%s\\n' "\${case##*/}" "$code" "$out"
done`
