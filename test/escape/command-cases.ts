// What a hostile caller passes to an honest command. Each must be refused with its code, or reach the program as
// the one text it is.

export interface ArgumentCase {
  readonly name: string
  readonly tool: 'show' | 'save' | 'say' | 'pick' | 'list'
  readonly params: { readonly [name: string]: unknown }
  /** The code it is refused with; absent: the program gets the text exactly as it is and prints it. */
  readonly code?: 'COMMAND_ARG_REFUSED' | 'PARAMS_INVALID'
}

const show = (name: string, path: string): ArgumentCase => ({
  name: `read ${name}`,
  tool: 'show',
  params: { path },
  code: 'COMMAND_ARG_REFUSED',
})
const save = (name: string, path: string): ArgumentCase => ({
  name: `write ${name}`,
  tool: 'save',
  params: { path, content: 'x' },
  code: 'COMMAND_ARG_REFUSED',
})
const say = (name: string, text: string): ArgumentCase => ({
  name: `have ${name} taken for more than text`,
  tool: 'say',
  params: { text },
})
const option = (name: string, text: string): ArgumentCase => ({
  name: `pass ${name} as an option`,
  tool: 'say',
  params: { text },
  code: 'COMMAND_ARG_REFUSED',
})
const strange = (name: string, tool: ArgumentCase['tool'], params: ArgumentCase['params']): ArgumentCase => ({
  name: `pass ${name}`,
  tool,
  params,
  code: 'PARAMS_INVALID',
})

export const argumentCases: readonly ArgumentCase[] = [
  show('a file outside', '@outside@/secret'),
  show('with ..', '../../../../../../..@outside@/secret'),
  show('with .. after a real folder', 'docs/../../../../../../..@outside@/secret'),
  show('through a link of the project', 'link/secret'),
  show('through a link to the file itself', 'out/filelink'),
  show('the password hashes', '/etc/shadow'),
  show('the user database', '/etc/passwd'),
  show('the state of the crib', '.toolcrib/token'),
  show('the state of the crib by a detour', 'docs/../.toolcrib/token'),
  show('the settings of git', '.git/config'),
  show('the settings of git in other letters', '.GIT/config'),
  show('/proc', '/proc/self/environ'),
  show('a device', '/dev/mem'),
  show('the home folder', '@home@/.bashrc'),
  show('behind a zero byte', 'docs/a.md\0/../../secret'),
  save('a file outside', '@outside@/target'),
  save('with ..', '../../../../../../..@outside@/target'),
  save('through a link of the project', 'link/target'),
  save('a new file through a link', 'link/new'),
  save('the settings', 'toolcrib.yaml'),
  save('a lock file', 'toolcrib.lock'),
  save('the state of the crib', '.toolcrib/token'),
  save('a hook of git', '.git/hooks/pre-commit'),
  save('outside its folder', 'b.md'),
  save('the user database', '/etc/passwd'),
  option('--help', '--help'),
  option('-o', '-o@outside@/target'),
  option('a lone dash with text', '-rf'),
  option('an option with a value', '--output=@outside@/target'),
  say('a semicolon', 'x; touch @outside@/pwned'),
  say('a pipe', 'x | tee @outside@/target'),
  say('a subshell', '$(cat @outside@/secret)'),
  say('backticks', '`cat @outside@/secret`'),
  say('a redirection', 'x > @outside@/target'),
  say('an ampersand', 'x && cat @outside@/secret'),
  say('a line break', 'x\ncat @outside@/secret'),
  say('quotes', `'"; cat @outside@/secret; "'`),
  say('a variable', '$HOME ${PATH} $TOOLCRIB_ESCAPE_CANARY'),
  say('a glob', '@outside@/*'),
  say('a brace', '{@outside@/secret,x}'),
  say('a tilde', '~/.ssh/id_ed25519'),
  say('a template', '{path} {{secret:API_KEY}}'),
  say('an argument file', '@@outside@/secret'),
  say('escape codes', '\u001b]0;evil\u0007\u001b[2J'),
  say('a command line in other quotes', "x' || cat @outside@/secret #"),
  strange('a list where text is wanted', 'show', { path: ['docs/a.md', '@outside@/secret'] }),
  strange('an object where text is wanted', 'say', { text: { toString: 'x' } }),
  strange('a parameter nobody asked for', 'say', { text: 'x', binary: '/bin/sh' }),
  strange('an environment', 'say', { text: 'x', env: { LD_PRELOAD: '/tmp/x.so' } }),
  strange('nothing at all', 'say', {}),
]
