// Hints that no test follows, each under the reason why a test cannot. The last group is work that is left: its hints can be
// followed, and a test of the tables should.

interface Group {
  readonly reason: string
  readonly hints: readonly string[]
}

export const notFollowed: readonly Group[] = [
  {
    reason:
      'Somebody else has to change something first: an operator of another server, a registry, a later version. Nothing a reader does here makes it go away.',
    hints: [
      'Its server has to fix it; until then this part is not checked here.',
      'Its server has to fix x-mcp-header; until then the tool cannot be used.',
      'Its server has to fix the list; `toolcrib list --refresh` asks it again, and everything else it offers can be used.',
      'Try again later.',
      'GRANT CREATE ON DATABASE to it, or make the schema and give it to the user.',
      'Update Toolcrib. The store was left as it is.',
      'It may be a library; look into its README for the server.',
      'If the file looks right to you, please report this as a bug.',
    ],
  },
  {
    reason:
      'The machine itself is in trouble: a disk that is full or broken, no process or file descriptor left, another process that holds the file. A test cannot take that from the machine it runs on and give it back.',
    hints: [
      'Check the disk.',
      'Free some and repeat.',
      'Free some space and repeat.',
      'Repeat later.',
      'Repeat later, or end the process that holds it.',
      'Nothing of the call is kept; look at the disk, then call it again.',
      'This machine has no process left to give; end some and try again.',
      'This process has no file descriptor left; raise `ulimit -n` or run fewer calls at once.',
      'The run was stopped before its end, or the disk is full; nothing of it was committed.',
      'Free the disk or fix the rights. What a run wrote is kept: `toolcrib runs accept <run>` puts it in place.',
      'Do not use the copy. The source was not changed.',
    ],
  },
  {
    reason:
      'A program has to be installed on the machine, or is set up otherwise there: a container engine, pip, an interpreter, a setuid bubblewrap.',
    hints: [
      'Install Node.js with npm.',
      'Install Python 3 with pip, or with uv.',
      'Install docker or podman.',
      'Install it: npm install ${}',
      'Install pip for it (python3 -m ensurepip, or the package python3-pip), or uv.',
      'Set `sandbox.engine: launcher`, or use a bubblewrap that is not setuid.',
      'Set `sandbox.engine: launcher`, which can.',
      'Start the ${} service, or install ${}, which is used instead.',
      '${} pull ${}',
      '`toolcrib doctor` tries it without any tool.',
      'Use less memory, or raise config.memory and limits.memoryMb.',
      'Keep it in base64 and decode it in the container.',
      'See `toolcrib doctor`; set `effects: { default: direct }` to let tools write to the files.',
    ],
  },
  {
    reason: 'A public network has to be reached, and tests reach this machine alone.',
    hints: [
      '${} fetches what it starts, and has no network here. Add to ${}',
      'It ran without network access. If it needs some, add to ${}',
      'It could not reach an address. See what it may reach with `toolcrib show mcp/${}`.',
      'Check that the package index can be reached: python3 -m pip download --no-deps pip',
    ],
  },
  {
    reason: 'It says what is the case, and asks for nothing.',
    hints: [
      'It may have ended long ago.',
      'Nothing is to be done.',
      'It waited for an answer, not for the tool.',
      'It reads ${}.',
    ],
  },
  {
    reason:
      '`check` of the definition says it before a call does; the call asks again all the same, for what was taken in otherwise.',
    hints: [
      'Add config.url.',
      'Set config.command, or put a code file of the same name beside the definition.',
      'Add the exact pair to the allowlist of its tools.json.',
      'See `toolcrib check`.',
      'Fix it and sign again.',
      'Write it in full, as in https://example.com/mcp.',
      'Write the metadata as literals, without expressions.',
      'Start the server by hand to see what it says; `toolcrib doctor` checks what it needs.',
    ],
  },
  {
    reason: 'Somebody has to change a file in the moment between two looks at it; no test is to race that.',
    hints: [
      'Sign it again.',
      'Something replaced a folder while the call began; look who writes there, then call again.',
      'See `toolcrib diff ${}`, then approve it again.',
      'Its changes cannot be read any more; run the tool again.',
      'See `toolcrib diff ${}` and `toolcrib verify ${}`.',
      'See `toolcrib verify ${}` and `toolcrib diff ${}`.',
      'See `toolcrib diff`, then `toolcrib approve <tool>`.',
    ],
  },
  {
    reason:
      'The rights of a file have to keep a user out, and nothing keeps out root, as whom tests run in containers.',
    hints: [
      'Give this user the right to it, or give a token with --token.',
      'Check its permissions.',
      'Make ${} yours to write, or accept for one run with --trust-folder.',
      'Make it writable, or use --print and put the block in by hand.',
      'Make its folder writable, or free some space; what was approved before still counts.',
      'Let it leave its owner the right to read its folders (chmod u+rwx).',
    ],
  },
  {
    reason: 'No test follows it yet.',
    hints: [
      'Put plain data there, or let both skills run inside the host: sign or pin them (skills.host: vouched), or set skills.host to always where their code changes files.',
      '${} has no OAuth metadata. If the server takes a fixed token: auth: { type: bearer, secret: NAME }.',
      '${}. If it only needs longer, raise mcp.listTimeoutMs in toolcrib.yaml; `toolcrib list --refresh` asks again at once.',
      'Add ${} (or rye.execute) to requires of ${} and to its grants in toolcrib.yaml.',
      'Add to toolcrib.yaml: ${}',
      'Addresses of an identity provider must be https, or on this machine.',
      'Ask its tool for less, or in parts; the next call connects again.',
      'Call again; if it happens every time, the tool crashes Deno.',
      'Call it by itself, or leave it out of what is previewed or held.',
      'Call it several times with fewer, or pass long lists on standard input.',
      'Check its name and version.',
      'Check its name and version. One that has no wheel is built by its own code: --allow-scripts.',
      'Check that the program and its working folder exist and that the program is executable.',
      'GET /readyz says why; it needs a token.',
      'Grant the host by name in toolcrib.yaml: grants: { tools: { "${}/*": ["net.http:${}"] } }',
      'Keep less in ctx, write data to files, or raise limits.outputBytes.',
      'Install it, or correct config.command of the runtime.',
      'It could not read a file${}. If it should, add to ${}; its own installation must be whole.',
      'Keep less in caches and localStorage; they go with the process anyway.',
      'Let calls that change the same file go one after the other.',
      'Log in with `toolcrib login ${}`.',
      'Look at ${}, keep what you need of it, and remove it; the server starts anew then.',
      'Look at its links and at pyvenv.cfg; make the environment anew (python3 -m venv .venv), or name the program itself.',
      'Look at the link or setting that leads there (.venv/pyvenv.cfg, a shim); make the environment anew, or grant the folder that is really meant.',
      'Look for an await at the top level.',
      'Middleware that changes arguments must stand before the approval.',
      'Name a file inside the crib, by its path from the root, of at most 64 MiB.',
      'Name smaller folders in `roots`, or add a .toolcribignore.',
      'Print to standard output, and leave file descriptors alone that the tool did not open.',
      'Put the name at context.tool.',
      'Raise limits.processes in toolcrib.yaml if it needs them.',
      'Read it, then accept it with `toolcrib approve ${}`.',
      'Register one there by hand and give its id: auth: { clientId: … }.',
      'Register one there that may send people back to ${}, and give its id in the entry: auth: { clientId: … }. `toolcrib login ${} --port <n>` keeps that address.',
      'Repeat later, leave it to the queue as a tool.request.v1 breadcrumb, or raise its limit in fleet.tools.',
      'See `toolcrib diff`.',
      'See clientId and scopes of the entry, then log in again.',
      'See clientId, scopes and the secret ${} of its entry, then `${}`.',
      'See the spans of one run: `toolcrib runs show <id> --json`.',
      'Start it with -js, or enable jetstream in its configuration.',
      'Store its client as `id:password`: `toolcrib secrets set ${}`.',
      'Store the client as `id:password`, or `id:` where it has no password: `toolcrib secrets set ${}`.',
      'That was ${} s ago; it is asked again after ${} s, or now with `toolcrib list --refresh`.',
      'The files o0, o1 … in it are what the commit had replaced. Put back what you need, then remove the folder.',
      'The first call of a process starts a worker; `toolcrib serve` keeps workers warm. Else look into the tool itself.',
      '`toolcrib add --from claude-code` installs and pins all servers of .mcp.json; for this one alone: toolcrib add ${} -- ${}',
    ],
  },
]
