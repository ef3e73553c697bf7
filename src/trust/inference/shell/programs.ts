// What well-known programs of a command line do with their arguments.

import { table } from '../table.ts'

const list = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Parts of the shell itself, and programs that only compute. */
export const plainPrograms = list(
  `: . [ [[ alias basename bc break builtin cal cd clear cksum command comm continue date dc declare dirs dirname disown echo enable expr export
  factor false fc fg bg getopt getopts groups hash help history hostname id jobs kill let local locale logname ls
  mapfile mktemp nproc numfmt popd printf printenv ps pushd pwd read readarray readlink readonly realpath return
  rev seq set shift shopt shuf sleep source stat suspend sync test times top tput tr trap true tsort tty type typeset ulimit umask
  unalias uname unset uptime wait which whereis who whoami yes exit logger tac arch getconf stty free vmstat pgrep file
  env xargs find time timeout nice nohup exec eval in then`,
)

/** Programs whose arguments are files they read; how many words before them are something else. */
export const readers: { readonly [program: string]: number } = table({
  cat: 0,
  tac: 0,
  head: 0,
  tail: 0,
  nl: 0,
  wc: 0,
  sort: 0,
  uniq: 0,
  cut: 0,
  fold: 0,
  fmt: 0,
  column: 0,
  paste: 0,
  join: 0,
  comm: 0,
  diff: 0,
  cmp: 0,
  od: 0,
  xxd: 0,
  hexdump: 0,
  strings: 0,
  base64: 0,
  base32: 0,
  md5sum: 0,
  sha1sum: 0,
  sha224sum: 0,
  sha256sum: 0,
  sha512sum: 0,
  b2sum: 0,
  sum: 0,
  zcat: 0,
  bzcat: 0,
  xzcat: 0,
  gunzip: 0,
  less: 0,
  more: 0,
  pr: 0,
  expand: 0,
  unexpand: 0,
  iconv: 0,
  du: 0,
  tree: 0,
  ls: 0,
  rev: 0,
  grep: 1,
  egrep: 1,
  fgrep: 1,
  rg: 1,
  ag: 1,
  zgrep: 1,
  sed: 1,
  awk: 1,
  gawk: 1,
  mawk: 1,
  jq: 1,
  yq: 1,
  xmllint: 0,
  pandoc: 0,
  unzip: 0,
  shasum: 0,
  md5: 0,
  tsort: 0,
  aspell: 0,
  groff: 0,
  man: 0,
  dircolors: 0,
  colordiff: 0,
  bat: 0,
  csvcut: 0,
  mlr: 1,
  find: 0,
})

/** Options of readers that take a word with them. */
export const takesWord: { readonly [program: string]: RegExp } = table({
  head: /^-[nc]$/,
  tail: /^-[nc]$/,
  sort: /^-[kt]$/,
  cut: /^-[dfcb]$/,
  grep: /^-[efmABC]$/,
  egrep: /^-[efmABC]$/,
  awk: /^-[Fv]$/,
  gawk: /^-[Fv]$/,
  sed: /^-[ef]$/,
  fold: /^-w$/,
  column: /^-[a-z]*s$/,
  jq: /^--(?:arg|argjson|slurpfile|rawfile)$/,
  nl: /^-[bnsvw]$/,
  paste: /^-d$/,
  join: /^-[12tjo]$/,
  xxd: /^-[lsc]$/,
  od: /^-[AtNj]$/,
  du: /^-d$/,
  tree: /^-[LIP]$/,
  iconv: /^-[ft]$/,
  base64: /^-w$/,
  uniq: /^-[fsw]$/,
  pandoc: /^-[ft]$/,
  unzip: /^-d$/,
})

/** Programs whose arguments are files they write or remove. */
export const writers = list(
  'touch mkdir rmdir rm tee truncate shred unlink mkfifo mknod gzip bzip2 xz zip gpg split csplit chmod chown chgrp chattr setfacl',
)

/** Read all files but the last, which they write. */
export const copiers = list('cp mv ln install rsync')

/** Start what follows them. */
export const wrappers = list(
  'sudo doas env nohup time timeout nice ionice setsid command exec builtin stdbuf unbuffer strace ltrace chroot xargs watch busybox flock parallel eatmydata firejail caffeinate catchsegv',
)

export const shells = list('sh bash dash zsh ksh ash fish')

/** Speak HTTP to addresses among their arguments. */
export const fetchers = list('curl wget http https httpie aria2c lynx links w3m fetch axel youtube-dl yt-dlp')

/** Connect to a host among their arguments. */
export const connectors = list(
  'nc ncat netcat socat telnet ssh scp sftp ftp lftp dig nslookup host ping ping6 traceroute mosh rsh rlogin whois nmap drill kdig tftp openvpn sshfs',
)

/** Reach hosts that their configuration or arguments name. */
export const remote: { readonly [program: string]: string } = table({
  pip: 'net.http',
  pip3: 'net.http',
  pipx: 'net.http',
  uv: 'net.http',
  npm: 'net.http',
  npx: 'net.http',
  yarn: 'net.http',
  pnpm: 'net.http',
  cargo: 'net.http',
  gem: 'net.http',
  apt: 'net.http',
  'apt-get': 'net.http',
  apk: 'net.http',
  yum: 'net.http',
  dnf: 'net.http',
  brew: 'net.http',
  snap: 'net.http',
  docker: 'net.http',
  podman: 'net.http',
  aws: 'net.http',
  gcloud: 'net.http',
  gsutil: 'net.http',
  az: 'net.http',
  kubectl: 'net.http',
  helm: 'net.http',
  gh: 'net.http',
  terraform: 'net.http',
  heroku: 'net.http',
  vercel: 'net.http',
  rclone: 'net.http',
  s3cmd: 'net.http',
  doctl: 'net.http',
  mysql: 'net.call',
  psql: 'net.call',
  'redis-cli': 'net.call',
  mongo: 'net.call',
  mongosh: 'net.call',
  mail: 'net.call',
  mailx: 'net.call',
  sendmail: 'net.call',
  mutt: 'net.call',
  msmtp: 'net.call',
  swaks: 'net.call',
  mysqldump: 'net.call',
  pg_dump: 'net.call',
  websocat: 'net.http',
  ngrok: 'net.http',
  cloudflared: 'net.http',
})

/** What these programs do on this machine alone. */
export const stayLocal: { readonly [program: string]: RegExp } = table({
  npm: /^(?:test|run|run-script|list|ls|version|pack|config|prefix|root|bin|start)$/,
  yarn: /^(?:test|run|list|version|start)$/,
  pnpm: /^(?:test|run|list|ls|start)$/,
  docker: /^(?:ps|images|logs|inspect|stop|rm|rmi|kill|stats|top|version|info|exec)$/,
  podman: /^(?:ps|images|logs|inspect|stop|rm|rmi|kill|stats|top|version|info|exec)$/,
  cargo: /^(?:check|test|run|fmt|clippy|tree|clean)$/,
  pip: /^(?:list|freeze|show|check)$/,
  pip3: /^(?:list|freeze|show|check)$/,
})

/** Make something run later. */
export const persisters: { readonly [program: string]: RegExp } = table({
  crontab: /^(?!.*(?:^| )-l(?: |$))/,
  at: /^/,
  batch: /^/,
  atq: /^never$/,
  systemctl: /\b(?:enable|link|edit|add-wants|preset|reenable)\b/,
  launchctl: /\b(?:load|bootstrap|enable|submit)\b/,
  'update-rc.d': /^/,
  chkconfig: /^/,
  'rc-update': /\badd\b/,
  schtasks: /\/create/i,
  loginctl: /enable-linger/,
  git: /\bconfig\b.*\b(?:core\.hooksPath|core\.fsmonitor|core\.sshCommand|core\.pager|core\.editor|credential\.helper|filter\.[^ ]*|alias\.\w+ *!|init\.templateDir|include\.path)|\bconfig\b.*alias\.\w+ !/i,
  chsh: /^/,
  'systemd-run': /^/,
})
