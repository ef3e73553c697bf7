// Inside a network namespace there is no way out but a socket file. The forwarder listens on the private
// loopback, hands every connection to that file, and then becomes the tool: it is started in the tool's place,
// forks itself away, and starts the tool once it listens.
import { findOnPath } from '../../config/find-on-path.ts'

/** Arguments of both scripts: the socket file, then ports, `--`, the command. */
export interface Forwarder {
  readonly name: string
  /** Programs it consists of; they must be visible inside. */
  readonly programs: readonly string[]
  /** The command up to the socket file. */
  readonly command: readonly string[]
}

/** Perl starts in 1 ms and is part of every Debian; Node is always there, 40 ms and 40 MB more. */
export function findForwarder(perl: string | null = findOnPath('perl') ?? null): Forwarder {
  if (perl !== null) return { name: 'perl', programs: [perl], command: [perl, '-e', perlScript, '--'] }
  const node = process.execPath
  return {
    name: 'node',
    programs: ['/bin/sh', node],
    command: ['/bin/sh', '-c', hideChannel, 'sh', node, '-e', nodeScript, '--'],
  }
}

/**
 * Ports: `3128` is passed on as it is; `8080=127.0.0.1:8080` is opened with CONNECT first, for programs that
 * never ask a proxy for addresses of this machine. Where the engine lets nobody listen on a low one, programs must ask.
 */
export function forwarderCommand(
  forwarder: Forwarder,
  socketFile: string,
  ports: readonly string[],
  command: readonly string[],
): string[] {
  return [...forwarder.command, socketFile, ...ports, '--', ...command]
}

// No modules: loading Socket alone costs 10 ms. Numbers are Linux's: AF_UNIX 1, AF_INET 2, SOCK_STREAM 1,
// SOL_SOCKET 1, SO_REUSEADDR 2, F_SETFL 4, O_NONBLOCK 04000, EAGAIN 11, EACCES 13.
const perlScript = `
my $path = shift; my (@ports, %l);
while (@ARGV and (my $p = shift) ne '--') { push @ports, $p }
for (@ports) {
  my ($port, $target) = split /=/, $_, 2;
  my $s; unless (socket($s, 2, 1, 0) and setsockopt($s, 1, 2, 1)
    and bind($s, pack('S n C4 x8', 2, $port, 127, 0, 0, 1)) and listen($s, 128)) {
    next if $! == 13 and defined $target;
    die "cannot listen on port $port: $!\\n";
  }
  $l{fileno $s} = [$s, $target];
}
defined(my $pid = fork) or die "cannot fork: $!\\n";
if ($pid) { waitpid $pid, 0; exec { $ARGV[0] } @ARGV; die "$ARGV[0]: $!\\n" }
fork and exit 0;
$SIG{$_} = 'IGNORE' for qw(TERM INT HUP PIPE);
$0 = 'toolcrib-forwarder';
open STDIN, '<', '/dev/null'; open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null';
for my $fd (3 .. 63) { next if $l{$fd}; open(my $h, '<&=', $fd) and close $h }
my (%h, %peer, %out, %eof, %skip);
sub drop { for my $fd (@_) { my $s = delete $h{$fd}; delete $_->{$fd} for \\%peer, \\%out, \\%eof, \\%skip; close $s if $s } }
while (1) {
  my ($r, $w) = ('', '');
  vec($r, $_, 1) = 1 for keys %l;
  for (keys %h) {
    vec($r, $_, 1) = 1 if !$eof{$_} and length($out{$peer{$_}}) < 262144;
    vec($w, $_, 1) = 1 if length $out{$_};
  }
  select($r, $w, undef, undef) > 0 or next;
  for my $fd (keys %l) {
    next unless vec($r, $fd, 1);
    my ($c, $u); accept($c, $l{$fd}[0]) or next;
    socket($u, 1, 1, 0) and connect($u, pack('S a*', 1, $path . "\\0")) or next;
    fcntl($_, 4, 2048) for $c, $u;
    my ($a, $b) = (fileno $c, fileno $u);
    @h{$a, $b} = ($c, $u); @peer{$a, $b} = ($b, $a); @out{$a, $b} = ('', '');
    if (defined(my $t = $l{$fd}[1])) { $out{$b} = "CONNECT $t HTTP/1.1\\r\\nHost: $t\\r\\n\\r\\n"; $skip{$b} = '' }
  }
  for my $fd (keys %h) {
    next unless $h{$fd} and vec($r, $fd, 1);
    my $n = sysread $h{$fd}, my $data, 65536;
    if (!defined $n) { next if $! == 11; drop($fd, $peer{$fd}); next }
    if (!$n) { $eof{$fd} = 1; next }
    if (defined $skip{$fd}) {
      $skip{$fd} .= $data;
      my $end = index $skip{$fd}, "\\r\\n\\r\\n";
      if ($end < 0) { next }
      if ($skip{$fd} !~ m{^HTTP/1.1 200}) { drop($fd, $peer{$fd}); next }
      $data = substr $skip{$fd}, $end + 4; delete $skip{$fd};
    }
    $out{$peer{$fd}} .= $data;
  }
  for my $fd (keys %h) {
    next unless $h{$fd};
    if (length $out{$fd} and vec($w, $fd, 1)) {
      my $n = syswrite $h{$fd}, $out{$fd};
      if (defined $n) { substr($out{$fd}, 0, $n) = '' } elsif ($! != 11) { drop($fd, $peer{$fd}); next }
    }
    my $p = $peer{$fd};
    if ($eof{$p} and !length $out{$fd}) {
      if ($eof{$fd} and !length $out{$p}) { drop($fd, $p) }
      elsif ($eof{$p} == 1) { shutdown $h{$fd}, 1; $eof{$p} = 2 }
    }
  }
}
`

// Node would take the tool's message channel for its own.
const hideChannel =
  'if [ "$NODE_CHANNEL_FD" ]; then export TOOLCRIB_CHANNEL="$NODE_CHANNEL_FD"; unset NODE_CHANNEL_FD; fi; exec "$@"'

// Node cannot become another program, so here the tool is its child, and the exit code is passed on.
const nodeScript = `
const net = require('node:net'), { spawn } = require('node:child_process'), fs = require('node:fs')
const args = process.argv.slice(1), path = args.shift(), cut = args.indexOf('--')
const ports = args.slice(0, cut), [file, ...rest] = args.slice(cut + 1)
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})
const isOpen = (fd) => { try { const s = fs.fstatSync(fd); return s.isSocket() || s.isFIFO() } catch { return false } }
const { TOOLCRIB_CHANNEL: channel, ...env } = process.env
if (channel) env.NODE_CHANNEL_FD = channel
const listening = ports.map((port) => new Promise((ready, failed) => {
  const [number, target] = port.split('=')
  net.createServer({ allowHalfOpen: true }, (client) => {
    const up = net.connect({ path, allowHalfOpen: true })
    const end = () => { client.destroy(); up.destroy() }
    client.on('error', end); up.on('error', end)
    if (!target) { client.pipe(up); up.pipe(client); return }
    up.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: ' + target + '\\r\\n\\r\\n')
    let head = Buffer.alloc(0)
    up.on('data', function skip(data) {
      head = Buffer.concat([head, data])
      const at = head.indexOf('\\r\\n\\r\\n')
      if (at < 0) return
      up.off('data', skip)
      if (!head.subarray(0, 12).equals(Buffer.from('HTTP/1.1 200'))) return end()
      client.write(head.subarray(at + 4)); client.pipe(up); up.pipe(client)
    })
  }).on('error', (error) => (target && error.code === 'EACCES' ? ready() : failed(error))).listen(Number(number), '127.0.0.1', ready)
}))
Promise.all(listening).then(() => {
  const stdio = [0, 1, 2]
  for (const fd of [3, 4]) stdio.push(isOpen(fd) ? fd : 'ignore')
  const child = spawn(file, rest, { stdio, env })
  child.on('error', (error) => { console.error(error.message); process.exit(127) })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + require('node:os').constants.signals[signal]))
}, (error) => { console.error(error.message); process.exit(1) })
`
