# Starts one program inside a fence made of the kernel's own parts: namespaces, mounts, a system call filter, Landlock
# and resource limits. Plain Perl without modules, because every Debian and Ubuntu has that much installed.
#
# Arguments: the number of the descriptor that holds the plan, the architecture, and a descriptor for faults. The plan is a list of steps: a
# word, the number of its arguments, the arguments, each ended by a NUL byte. Steps are carried out in order; `run`
# and `end` come last. The launcher may be started before there is a plan: it waits for it and for nothing else. Sources are opened without following any link, so that what was judged is what is mounted; a
# difference ends the launcher with exit code 126 and one line on descriptor 2, and nothing has run.
use strict;

my %numbers = (
    x64 => {
        mount => 165, umount2 => 166, pivot_root => 155, prctl => 157, capset => 126, unshare => 272,
        prlimit64 => 302, seccomp => 317, close => 3, lgetxattr => 192, exit_group => 231,
    },
    arm64 => {
        mount => 40, umount2 => 39, pivot_root => 41, prctl => 167, capset => 91, unshare => 97,
        prlimit64 => 261, seccomp => 277, close => 57, lgetxattr => 9, exit_group => 94,
    },
);
# The same numbers everywhere.
my %later = (
    open_tree => 428, move_mount => 429, fsconfig => 431, fspick => 433, close_range => 436, openat2 => 437, mount_setattr => 442, clone3 => 435,
    landlock_create_ruleset => 444, landlock_add_rule => 445, landlock_restrict_self => 446,
);
my %call;

my ($O_CLOEXEC, $O_PATH) = (02000000, 010000000);
my ($NO_MAGICLINKS, $NO_SYMLINKS, $BENEATH) = (2, 4, 8);
my ($MS_NOSUID, $MS_NODEV, $MS_NOEXEC, $MS_REC, $MS_PRIVATE) = (2, 4, 8, 16384, 1 << 18);
my ($ATTR_RDONLY, $ATTR_NOSUID, $ATTR_NODEV) = (1, 2, 4);
my ($AT_EMPTY_PATH, $AT_RECURSIVE, $OPEN_TREE_CLONE) = (0x1000, 0x8000, 1);
my ($MOVE_FROM_EMPTY, $MOVE_TO_EMPTY) = (4, 0x40);
my ($PR_SET_PDEATHSIG, $PR_CAPBSET_DROP, $PR_SET_NO_NEW_PRIVS, $PR_CAP_AMBIENT) = (1, 24, 38, 47);
my ($CLONE_NEWNS, $CLONE_NEWCGROUP, $CLONE_NEWUTS, $CLONE_NEWIPC, $CLONE_NEWUSER, $CLONE_NEWPID, $CLONE_NEWNET) =
    (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000);
my $CLONE_INTO_CGROUP = 0x200000000;
my ($SIGKILL, $SIGCHLD) = (9, 17);

# Nothing has run: one line says why.
my $report_fault;    # where the host hears of it, until the program starts
sub fail { my ($what) = @_; syswrite(STDERR, "toolcrib fence: $what\n"); exit(126) }

# As fail, for what is not as it was judged: the host tells that apart.
sub differs { my ($what) = @_; syswrite($report_fault, "difference: $what\n") if $report_fault; fail($what) }

# syscall() writes through its arguments, so it gets copies.
sub kernel {
    my ($name, @a) = @_;
    my $n = $call{$name};
    return @a == 1 ? syscall($n, $a[0])
         : @a == 2 ? syscall($n, $a[0], $a[1])
         : @a == 3 ? syscall($n, $a[0], $a[1], $a[2])
         : @a == 4 ? syscall($n, $a[0], $a[1], $a[2], $a[3])
         :           syscall($n, $a[0], $a[1], $a[2], $a[3], $a[4]);
}
sub must { my ($what, $name, @a) = @_; my $r = kernel($name, @a); fail("$what: $!") if $r == -1; return $r }

sub put { my ($file, $text) = @_;
    open(my $h, '>', $file) or fail("$file: $!");
    defined(syswrite($h, $text)) or fail("$file: $!");
    close($h) or fail("$file: $!");
}

my $layered;         # the folder of the host that is shown with a layer on top; the overlay is at /layer

# A descriptor of an absolute path of the host, none of whose parts is a link; below the layered folder, of what the
# overlay has there.
sub open_plain { my ($path) = @_;
    my $at = defined $layered && ($path eq $layered || index($path, "$layered/") == 0)
        ? '/layer' . substr($path, length($layered)) : "/old$path";
    my $fd = kernel('openat2', -100, $at, pack('QQQ', $O_PATH | $O_CLOEXEC, 0, $NO_SYMLINKS | $NO_MAGICLINKS), 24);
    differs("$path is not what was judged, or is gone: $!") if $fd == -1;
    return $fd;
}

my $base = '/new';   # the root to be; the host's is at /old until the program starts
my $root;            # its descriptor
my @mounted;         # what is mounted so far: path, and whether its files are the host's
my %writable;        # where the program may write

# Whether the files at a path are the host's, so that nothing may be made there: the innermost mount decides.
sub is_host { my ($path) = @_;
    my ($host, $longest) = (0, 0);
    for my $mount (@mounted) {
        my ($top, $is_host) = @$mount;
        next unless $path eq $top || index($path, "$top/") == 0;
        ($host, $longest) = ($is_host, length($top)) if length($top) >= $longest;
    }
    return $host;
}

# A descriptor of a path inside the new root; made as a folder or an empty file where it is missing and ours to make.
sub target { my ($path, $kind) = @_;
    my $below = substr($path, 1);
    $below = '.' if $below eq '';
    if (!is_host($path)) {
        my @parts = split(m{/}, $below);
        my $last = pop @parts;
        my $at = $base;
        for my $part (@parts) { $at .= "/$part"; mkdir($at, 0755) }
        if ($kind eq 'file') { sysopen(my $h, "$at/$last", 0101, 0644); }
        elsif ($last ne '.') { mkdir("$at/$last", 0755) }
    }
    my $fd = kernel('openat2', $root, $below, pack('QQQ', $O_PATH | $O_CLOEXEC, 0, $NO_SYMLINKS | $NO_MAGICLINKS | $BENEATH), 24);
    fail("$path inside: $!") if $fd == -1;
    return $fd;
}

sub attach { my ($tree, $path, $kind) = @_;
    my $fd = target($path, $kind);
    must("mount at $path", 'move_mount', $tree, '', $fd, '', $MOVE_FROM_EMPTY | $MOVE_TO_EMPTY);
    close_fd($fd);
    close_fd($tree);
}
# Without Perl's own clean-up: the kernel takes everything back at once.
sub leave { my ($code) = @_; kernel('exit_group', $code) }
sub close_fd { my ($fd) = @_; kernel('close', $fd) }

sub bind_mount { my ($source, $path, $writable) = @_;
    my $from = open_plain($source);
    my $kind = -d "/old/proc/self/fd/$from" ? 'dir' : 'file';
    my $tree = must("$source", 'open_tree', $from, '', $AT_EMPTY_PATH | $AT_RECURSIVE | $OPEN_TREE_CLONE | $O_CLOEXEC);
    my $set = $ATTR_NOSUID | ($source =~ m{^/dev/} ? 0 : $ATTR_NODEV) | ($writable ? 0 : $ATTR_RDONLY);
    must("$source", 'mount_setattr', $tree, '', $AT_EMPTY_PATH | $AT_RECURSIVE, pack('QQQQ', $set, 0, 0, 0), 32);
    attach($tree, $path, $kind);
    # What is there now is what was opened.
    my ($dev, $ino) = stat("/old/proc/self/fd/$from");
    my ($now_dev, $now_ino) = stat("$base$path");
    differs("$path shows something else than $source") unless $dev == $now_dev && $ino == $now_ino;
    close_fd($from);
    push @mounted, [$path, 1];
    $writable{$path} = $kind if $writable;
}

sub plain_mount { my ($type, $path, $flags, $data, $kind) = @_;
    my $fd = target($path, $kind || 'dir');
    must("$type at $path", 'mount', $type, "/old/proc/self/fd/$fd", $type, $flags, $data eq '' ? 0 : $data);
    close_fd($fd);
    push @mounted, [$path, 0];
}

my ($uid, $gid) = ($>, (split(/ /, $)))[0]);
my $group;           # of version 2: what begins the fence is born in it
my (%env, @program, @applied, $is_whole, $argv0, $cwd, $filter, $alive, $report, @notes, $control, $layer_target, $is_landlocked);

my %steps = (
    # limit <number of the resource> <value>
    limit => sub { must('limit', 'prlimit64', 0, $_[0] + 0, pack('QQ', $_[1], $_[1]), 0) },
    # cgroup <file>: enters it. The kernel waits for all processors before it moves a process, so a group that one can be
    # born in (version 2) waits for the first fork; `tasks` (version 1) moves one thread at once.
    cgroup => sub { my ($file) = @_;
        return put($file, '0') if $group || $file !~ m{^(.*)/cgroup\.procs$};
        sysopen(my $folder, $1, $O_CLOEXEC) or fail("$1: $!");
        sysopen(my $door, $file, 1 | $O_CLOEXEC) or fail("$file: $!");
        $group = [$folder, $door];
    },
    # notes <upper> <file>: once everything inside has ended, says there what only we can read of a layer. Opened before
    # the fence begins, because its paths mean something else inside.
    notes => sub { my ($upper, $file) = @_;
        sysopen(my $folder, $upper, $O_CLOEXEC) or fail("$upper: $!");
        sysopen(my $out, $file, 01001 | $O_CLOEXEC) or fail("$file: $!");
        push @notes, [$folder, $out];
    },
    # control <descriptor> <target>: on an `r` there, what the kernel remembers of the layer shown at `target` is dropped;
    # on an `n`, the notes are written as things stand.
    control => sub { my ($fd, $target) = @_;
        open($control, '+<&=', $fd) or fail("control: $!");
        $layer_target = $target;
    },
    # unshare <words>: begins the fence; everything before concerns the launcher itself
    unshare => sub {
        my %with = map { $_ => 1 } @_;
        my $flags = $CLONE_NEWNS | $CLONE_NEWPID | $CLONE_NEWIPC | $CLONE_NEWUTS;
        $flags |= $CLONE_NEWUSER if $with{user};
        $flags |= $CLONE_NEWNET if $with{net};
        must('new namespaces', 'unshare', $flags);
        if ($with{user}) {
            put('/proc/self/setgroups', 'deny');
            put('/proc/self/uid_map', "$uid $uid 1");
            put('/proc/self/gid_map', "$gid $gid 1");
            put('/proc/sys/user/max_user_namespaces', '0');
        }
        bring_loopback_up() if $with{net};
        enter();
        must('a new view of control groups', 'unshare', $CLONE_NEWCGROUP) if $with{cgroup};
        must('private mounts', 'mount', 'none', '/', 'none', $MS_REC | $MS_PRIVATE, 0);
        # Any folder of the host serves as the place of the new root: nobody else sees it.
        must('a new root', 'mount', 'tmpfs', '/tmp', 'tmpfs', $MS_NOSUID | $MS_NODEV, 'mode=0755');
        mkdir("/tmp/$_", 0755) for qw(old new);
        must('a new root', 'pivot_root', '/tmp', '/tmp/old');
        chdir('/');
        must('a new root', 'mount', 'tmpfs', $base, 'tmpfs', $MS_NOSUID | $MS_NODEV, 'mode=0755');
        $root = must($base, 'openat2', -100, $base, pack('QQQ', $O_PATH | $O_CLOEXEC, 0, 0), 24);
    },
    bind => sub { bind_mount($_[0], $_[1], 1) },
    'ro-bind' => sub { bind_mount($_[0], $_[1], 0) },
    # layer <lower> <upper> <work> [<below>]: what is bound from `lower` from now on has the writes of one call on top,
    # and between them those in `below`. Volatile, because the end of the mount would wait for the whole disk otherwise:
    # what counts is flushed when it is committed.
    layer => sub {
        my ($lower, $upper, $work, @below) = @_;
        my @fds = map { open_plain($_) } ($upper, $work, @below, $lower);
        my ($up, $by, @under) = map { "/old/proc/self/fd/$_" } @fds;
        mkdir('/layer', 0755);
        must('overlay', 'mount', 'overlay', '/layer', 'overlay', $MS_NOSUID | $MS_NODEV,
            'lowerdir=' . join(':', @under) . ",upperdir=$up,workdir=$by,userxattr,volatile");
        close_fd($_) for @fds;
        $layered = $lower;
    },
    tmpfs => sub { my ($path, $mode, $size) = @_;
        plain_mount('tmpfs', $path, $MS_NOSUID | $MS_NODEV, "mode=$mode" . ($size ? ",size=$size" : ''));
        $writable{$path} = 'dir';
    },
    proc => sub {
        plain_mount('proc', '/proc', $MS_NOSUID | $MS_NODEV | $MS_NOEXEC, '');
        push @mounted, ['/proc', 1];
    },
    dev => sub {
        plain_mount('tmpfs', '/dev', $MS_NOSUID, 'mode=0755');
        for my $name (qw(null zero full random urandom tty)) { bind_mount("/dev/$name", "/dev/$name", 1) if -e "/old/dev/$name" }
        symlink("/proc/self/fd", "$base/dev/fd");
        symlink("/proc/self/fd/0", "$base/dev/stdin");
        symlink("/proc/self/fd/1", "$base/dev/stdout");
        symlink("/proc/self/fd/2", "$base/dev/stderr");
        mkdir("$base/dev/pts", 0755);
        plain_mount('devpts', '/dev/pts', $MS_NOSUID | $MS_NOEXEC, 'newinstance,ptmxmode=0666,mode=620');
        $writable{'/dev/pts'} = 'dir';
        symlink('pts/ptmx', "$base/dev/ptmx");
    },
    symlink => sub { my ($to, $path) = @_;
        fail("$path inside is the host's") if is_host($path);
        my $at = $base; my @parts = split(m{/}, substr($path, 1)); my $last = pop @parts;
        for my $part (@parts) { $at .= "/$part"; mkdir($at, 0755) }
        symlink($to, "$at/$last") or -l "$at/$last" or fail("$path: $!");
    },
    dir => sub { close_fd(target($_[0], 'dir')) },
    # seal <target>: read-only from now on
    seal => sub { my ($path) = @_;
        my $fd = target($path, 'dir');
        must("seal $path", 'mount_setattr', $fd, '', $AT_EMPTY_PATH, pack('QQQQ', $ATTR_RDONLY, 0, 0, 0), 32);
        close_fd($fd);
        delete $writable{$path};
    },
    # landlock: the program may write only where the steps say so, whatever the mounts allow
    landlock => sub { $is_landlocked = 1 },
    setenv => sub { $env{$_[0]} = $_[1] },
    chdir => sub { $cwd = $_[0] },
    # filter <bytes as hexadecimal>: the system call filter, loaded just before the program
    filter => sub { $filter = pack('H*', $_[0]) },
    argv0 => sub { $argv0 = $_[0] },
    run => sub { @program = @_ },
    # apply <from> <into> <word, path, value>...: in place of `run`, brings changes from one folder inside into another
    apply => sub { @applied = @_ },
    end => sub { $is_whole = 1 },
);

# A new network namespace has a loopback device that is down.
sub bring_loopback_up {
    socket(my $s, 2, 2, 0) or fail("socket: $!");
    my $request = pack('a16 s x22', 'lo', 0x41);
    ioctl($s, 0x8914, $request) or fail("loopback: $!");
    close($s);
    # Nobody else is there whose port it could be: port 80 of a server that a grant names is listened for as any other.
    if (open(my $start, '>', '/proc/sys/net/ipv4/ip_unprivileged_port_start')) { syswrite($start, '0'); close($start) }
}

# Two processes: the first one waits outside and dies as the program died; the second is the init of the new PID
# namespace, so that everything inside ends with it.
sub enter {
    pipe(my $alive_read, my $alive_write) or fail("pipe: $!");
    pipe(my $report_read, my $report_write) or fail("pipe: $!");
    my $pid = fork_into_group();
    fail("fork: $!") unless defined $pid;
    if ($pid) {
        close($alive_read); close($report_write); close(STDIN); close(STDOUT);
        my @kept = ($alive_write, $report_read, defined $control ? $control : (), map { @$_ } @notes);
        keep_only(3, map { fileno($_) } @kept);
        answer_until($report_read) if defined $control;
        my $status = '';
        sysread($report_read, $status, 4);
        waitpid($pid, 0);
        $status = length($status) == 4 ? unpack('l', $status) : $?;
        write_notes(@$_) for @notes;
        my $signal = $status & 127;
        leave($status >> 8) unless $signal;
        # No core file of ours.
        kernel('prlimit64', 0, 4, pack('QQ', 0, 0), 0);
        kill($signal, $$);
        sleep(1);
        exit(128 + $signal);
    }
    close($alive_write); close($report_read);
    close($_) for defined $control ? $control : (), map { @$_ } splice(@notes);
    must('parent death signal', 'prctl', $PR_SET_PDEATHSIG, $SIGKILL, 0, 0, 0);
    vec(my $ready = '', fileno($alive_read), 1) = 1;
    if (select($ready, undef, undef, 0) > 0) { exit(126) }
    ($alive, $report) = ($alive_read, $report_write);
}

# As fork, but that the new process is in the control group from its first moment.
sub fork_into_group {
    return fork() unless $group;
    my ($folder, $door) = @$group;
    my $pid = kernel('clone3', pack('Q11', $CLONE_INTO_CGROUP, 0, 0, 0, $SIGCHLD, 0, 0, 0, 0, 0, fileno($folder)), 88);
    # Before Linux 5.7, or forbidden by who started us: then the slow way, with the rights of before the fence.
    if ($pid == -1) {
        defined(syswrite($door, '0')) or fail("control group: $!");
        $pid = fork();
    }
    close($folder); close($door);
    return $pid;
}

# Answers on the control descriptor until there is something to read on the other.
sub answer_until { my ($end) = @_;
    while (1) {
        my $ready = '';
        vec($ready, fileno($end), 1) = 1;
        vec($ready, fileno($control), 1) = 1 if defined $control;
        next if select($ready, undef, undef, undef) < 0;
        return if vec($ready, fileno($end), 1);
        if (!sysread($control, my $word, 1)) { close($control); undef $control }
        elsif ($word eq 'n') { my $isWhole = 1; $isWhole &&= write_notes(@$_) for @notes; syswrite($control, $isWhole ? 'y' : 'n') }
        else { syswrite($control, forget_names() ? 'y' : 'n') }
    }
}

# What changed in the project below an overlay may stay unseen: names that were looked up are remembered. A change of
# the mount's options, even of none, has the kernel look again. Our root is that of the fence by now.
sub forget_names {
    my $fs = kernel('fspick', -100, $layer_target, 1);
    return 0 if $fs == -1;
    my $done = kernel('fsconfig', $fs, 7, 0, 0, 0);
    close_fd($fs);
    return $done != -1;
}

# Each opaque folder of a layer as `opaque` and its path, what the project had (file or folder) as `copied` and its path, then
# `end`: without that word the notes do not count.
sub write_notes { my ($upper, $out) = @_;
    chdir($upper) or return 0;
    truncate($out, 0);
    sysseek($out, 0, 0);
    my $text = '';
    my ($opaque, $origin) = ('user.overlay.opaque', 'user.overlay.origin');
    my @folders = ('.');
    while (defined(my $folder = pop @folders)) {
        opendir(my $entries, $folder) or return 0;
        for my $name (readdir($entries)) {
            next if $name eq '.' || $name eq '..';
            my $path = $folder eq '.' ? $name : "$folder/$name";
            next if -l $path;
            my $value = ' ';
            if (-d _) {
                push @folders, $path;
                $text .= "opaque\0$path\0" if syscall($call{lgetxattr}, $path, $opaque, $value, 1) == 1 && $value eq 'y';
            }
            next unless -d _ || -f _;
            $text .= "copied\0$path\0" if syscall($call{lgetxattr}, $path, $origin, 0, 0) != -1;
        }
    }
    $text .= "end\0";
    return (syswrite($out, $text) || 0) == length($text);
}

# Brings changes into the folder that is shown at `into`, as they were read: nothing of the host is in sight here, so a
# link leads nowhere but to the same layer. Whoever runs this judges the layer afterwards.
sub apply_changes { my ($from, $into, @changes) = @_;
    chdir($into) or fail("$into: $!");
    while (my ($word, $path, $value) = splice(@changes, 0, 3)) {
        my $is_there = lstat($path);
        # Written over in place: the layer remembers then that the project has such a file.
        if ($word eq 'put' && $is_there && -f _ && (lstat(_))[3] == 1) { copy_file("$from/$path", $path, $value, 01001); next }
        if ($word eq 'remove') { !$is_there or (-d _ ? rmdir($path) : unlink($path)) or fail("$path: $!") }
        elsif ($word eq 'make') { ($is_there && -d _) or mkdir($path, 0700) or fail("$path: $!") }
        elsif ($word eq 'mode') { -l $path or chmod($value, $path) or fail("$path: $!") }
        else {
            !$is_there or unlink($path) or fail("$path: $!");
            if ($word eq 'link') { symlink($value, $path) or fail("$path: $!") }
            else { copy_file("$from/$path", $path, $value, 0301) }
        }
    }
    exit(0);
}

sub copy_file { my ($from, $to, $mode, $flags) = @_;
    my ($O_NOFOLLOW, $O_NONBLOCK) = ($^O eq 'linux' && $ARGV[1] eq 'arm64' ? 0100000 : 0400000, 04000);
    sysopen(my $in, $from, $O_NOFOLLOW | $O_NONBLOCK) or fail("$to: $!");
    -f $in or fail("$to is no file");
    my $modified = (stat(_))[9];
    chmod(0600, $to) if $flags == 01001;
    sysopen(my $out, $to, $flags | $O_NOFOLLOW, 0600) or fail("$to: $!");
    while (1) {
        my $length = sysread($in, my $bytes, 1 << 20);
        defined $length or fail("$to: $!");
        last unless $length;
        for (my $at = 0; $at < $length;) { my $wrote = syswrite($out, $bytes, $length - $at, $at) or fail("$to: $!"); $at += $wrote }
    }
    close($out) or fail("$to: $!");
    chmod($mode, $to) or fail("$to: $!");
    utime($modified, $modified, $to);
}

# The channels of a worker belong to the program alone: a second holder would keep them open after its death.
sub keep_only { my ($from, @kept) = @_;
    for my $fd (sort { $a <=> $b } grep { $_ >= $from } @kept) {
        kernel('close_range', $from, $fd - 1, 0) if $fd > $from;
        $from = $fd + 1;
    }
    kernel('close_range', $from, 0xffffffff, 0);
}

sub drop_rights {
    must('no new privileges', 'prctl', $PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    for my $cap (0 .. 63) { last if kernel('prctl', $PR_CAPBSET_DROP, $cap, 0, 0, 0) == -1 }
    kernel('prctl', $PR_CAP_AMBIENT, 4, 0, 0, 0);
    must('capabilities', 'capset', pack('LL', 0x20080522, 0), pack('L6', 0, 0, 0, 0, 0, 0));
}

# A second wall behind the mounts: nothing is written, made or removed but below what was mounted to be written, and no
# signal leaves. It needs no rights and cannot be taken off again.
sub restrict_writes {
    my $version = must('Landlock', 'landlock_create_ruleset', 0, 0, 1);
    # Writing, removing, making; moving between folders, truncating and controlling devices came later.
    my ($write, $refer, $truncate, $control_device) = (1 << 1, 1 << 13, 1 << 14, 1 << 15);
    my $in_folder = (1 << 13) - (1 << 4);
    my $in_file = $write | ($version >= 3 ? $truncate : 0) | ($version >= 5 ? $control_device : 0);
    my $all = $in_folder | $in_file | ($version >= 2 ? $refer : 0);
    # Abstract sockets and signals end at the program, where the kernel knows how.
    my $attributes = $version >= 6 ? pack('QQQ', $all, 0, 3) : pack('Q', $all);
    my $rules = must('Landlock', 'landlock_create_ruleset', $attributes, length($attributes), 0);
    for my $path (keys %writable) {
        my $fd = kernel('openat2', -100, $path, pack('QQQ', $O_PATH | $O_CLOEXEC, 0, $NO_SYMLINKS | $NO_MAGICLINKS), 24);
        # Covered by a later mount.
        next if $fd == -1;
        must("Landlock at $path", 'landlock_add_rule', $rules, 1, pack('Ql', $writable{$path} eq 'dir' ? $all : $in_file, $fd), 0);
        close_fd($fd);
    }
    must('Landlock', 'landlock_restrict_self', $rules, 0);
    close_fd($rules);
}

sub load_filter {
    my $count = length($filter) / 8;
    my $program = pack('S x6 Q', $count, unpack('Q', pack('P', $filter)));
    must('system call filter', 'seccomp', 1, 0, $program);
}

sub start {
    # The new root takes the place of what held both, which goes with the host's: one departure, because the kernel waits
    # for all processors at each.
    chdir($base) or fail("$base: $!");
    must('new root', 'pivot_root', '.', '.');
    must('old root', 'umount2', '.', 2);
    chdir('/');
    must('seal /', 'mount_setattr', $root, '', $AT_EMPTY_PATH, pack('QQQQ', $ATTR_RDONLY, 0, 0, 0), 32);
    close_fd($root);
    my $pid = fork();
    fail("fork: $!") unless defined $pid;
    if ($pid == 0) {
        chdir($cwd) or fail("$cwd: $!");
        drop_rights();
        restrict_writes() if $is_landlocked;
        apply_changes(@applied) if @applied;
        # Node adds the number of its message channel, where there is one, to the environment that it was given.
        my $channel = $ENV{NODE_CHANNEL_FD};
        $env{$_} = $ENV{$_} for grep { defined $channel && /^NODE_CHANNEL_/ } keys %ENV;
        keep_only(5, defined $channel ? $channel : ());
        %ENV = %env;
        load_filter() if defined $filter;
        exec { $program[0] } (defined $argv0 ? $argv0 : $program[0], @program[1 .. $#program]);
        fail("$program[0]: $!");
    }
    close(STDIN); close(STDOUT);
    keep_only(3, fileno($alive), fileno($report));
    drop_rights();
    while (1) {
        my $gone = waitpid(-1, 0);
        next if $gone != $pid && $gone > 0;
        syswrite($report, pack('l', $?)) if $gone == $pid;
        leave($? & 127 ? 128 + ($? & 127) : $? >> 8);
    }
}

my ($plan_fd, $arch, $report_fd) = @ARGV;
open($report_fault, '>&=', $report_fd) if defined $report_fd;
%call = (%{ $numbers{$arch} || {} }, %later);
fail("no system call numbers for $arch") unless $numbers{$arch};
must('parent death signal', 'prctl', $PR_SET_PDEATHSIG, $SIGKILL, 0, 0, 0);
my $plan = do { open(my $h, '<&=', $plan_fd) or fail("plan: $!"); local $/; <$h> };
my @plan = split(/\0/, $plan, -1);
while (@plan > 1) {
    my ($word, $count) = splice(@plan, 0, 2);
    my $work = $steps{$word} or fail("unknown step $word");
    $work->(splice(@plan, 0, $count));
}
# Whoever sent it went away in the middle.
fail('the plan has no end') unless $is_whole;
start();
