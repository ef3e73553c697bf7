import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../test/helpers/verifies.ts'
import { readPython } from './read-python.ts'

function fieldsOf(text: string): Record<string, unknown> {
  return Object.fromEntries([...readPython(text).fields].map(([name, field]) => [name, field.value]))
}

describe('constants', () => {
  it.each([
    ['"a" \'b\' "c"', 'abc'],
    ['r"\\d"', '\\d'],
    ['"\\x41\\u00e9\\U0001F600\\n\\t\\\\"', 'Aé😀\n\t\\'],
    ['"""a\nb"""', 'a\nb'],
    ['"a\\\nb"', 'ab'],
    ['f"a{{b}}"', 'a{b}'],
    ['("a"\n "b")', 'ab'],
    ['("a"  # one\n "b")', 'ab'],
    ['"a" + "b"', 'ab'],
    ['1_000', 1000],
    ['0xff', 255],
    ['-1.5e3', -1500],
    ['20.', 20],
    ['True', true],
    ['None', null],
    ['[1, (2, 3), {4}]', [1, [2, 3], [4]]],
    ['()', []],
    ['(1,)', [1]],
    ['[*BASE, "x"]', ['a', 'b', 'x']],
    ['BASE + ["c"]', ['a', 'b', 'c']],
    ['{"a": 1, **MAP, "c": 3}', { a: 1, b: 2, c: 3 }],
    ['MAP | {"b": 3}', { b: 3 }],
    ['{"__proto__": {"x": 1}}', JSON.parse('{"__proto__": {"x": 1}}')],
    ['{1: "a", None: "b", True: "c"}', { 1: 'a', null: 'b', true: 'c' }],
  ])('%s folds', (source, value) => {
    verifies('R10')
    const reading = readPython(`BASE = ["a", "b"]\nMAP = {"b": 2}\n__metadata__ = ${source}\n`)
    expect(reading.notes).toEqual([])
    expect(reading.fields.get('metadata')?.value).toEqual(value)
  })

  it('are taken at module level only, the last one wins, with or without a type', () => {
    verifies('R10')
    const text = `
__version__ = "0.1.0"
def f():
    __version__ = "9.9.9"
class C:
    __version__ = "8.8.8"
__version__: str = "1.0.0"
"__version__ = '7.7.7'"
# __version__ = "6.6.6"
`
    expect(fieldsOf(text)).toEqual({ version: '1.0.0' })
  })

  it('see a name as it stood at that point', () => {
    verifies('R10')
    expect(fieldsOf('A = "1.0.0"\nB = A\nA = "2.0.0"\n__version__ = B\n')).toEqual({ version: '1.0.0' })
  })

  it.each([
    ['a call', '__version__ = get()\n', 1],
    ['an f-string with an expression', '__version__ = f"{x}"\n', 1],
    ['a condition', 'if x:\n    __version__ = "1.0.0"\n', 2],
    ['a try', 'try:\n    __version__ = "1.0.0"\nexcept E:\n    pass\n', 2],
    ['a loop on one line', 'for i in x: __version__ = "1.0.0"\n', 1],
    ['a name that a condition may change', 'A = "1.0.0"\nif x:\n    A = "2.0.0"\n__version__ = A\n', 4],
    ['an unpacking', '__version__, b = "1.0.0", 2\n', 1],
    ['an addition in place', '__version__ += "x"\n', 1],
    ['a name of an import', 'from x import V\n__version__ = V\n', 2],
    ['a comprehension', '__tags__ = [x for x in y]\n', 1],
  ])('that need running (%s) are named with their line and left out', (_, text, line) => {
    verifies('R17')
    const reading = readPython(text)
    expect(reading.notes).toMatchObject([{ code: 'schema-not-static', line }])
    expect(reading.fields.size).toBe(0)
  })

  it('that are changed later are kept and named', () => {
    verifies('R17')
    const reading = readPython(
      'CONFIG_SCHEMA = {"type": "object"}\nCONFIG_SCHEMA["properties"] = x\nCONFIG_SCHEMA.update(y)\n',
    )
    expect(reading.notes.map((note) => [note.code, note.line])).toEqual([
      ['schema-not-static', 2],
      ['schema-not-static', 3],
    ])
    expect(reading.fields.get('config_schema')?.value).toEqual({ type: 'object' })
  })

  it('keep the rest of a schema: a keyword goes, a property becomes {}, a whole schema any object', () => {
    verifies('R17')
    const reading = readPython(`CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "string", "maxLength": LIMIT},
        "b": make(),
        "c": {"enum": ["x", other()]},
        **more,
    },
    "required": ["a", name()],
}
OUTPUT_SCHEMA = build()
`)
    expect(reading.fields.get('config_schema')?.value).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: {}, c: {} },
      required: ['a'],
    })
    expect(reading.fields.get('output_schema')?.value).toEqual({ type: 'object' })
    expect(reading.notes.map((note) => [note.line, note.pointer])).toEqual([
      [4, '/properties/a/maxLength'],
      [5, '/properties/b'],
      [6, '/properties/c/enum/1'],
      [7, '/properties'],
      [9, '/required/1'],
      [11, ''],
    ])
  })

  it('that double themselves stop at a budget', () => {
    verifies('R17')
    const doubling = Array.from({ length: 40 }, (_, i) => `A${i + 1} = A${i} + A${i}`).join('\n')
    const reading = readPython(`A0 = ["x"]\n${doubling}\n__tags__ = A40\n`)
    expect(reading.notes).toMatchObject([{ code: 'schema-not-static' }])
  })
})

describe('names', () => {
  it.each([
    ['__tool_description__ = "a"\n__description__ = "b"', { description: 'a' }],
    ['__description__ = "b"\n__tool_description__ = "a"', { description: 'a' }],
    ['__description__ = "b"', { description: 'b' }],
    ['INPUT_SCHEMA = {}\nENV_CONFIG = {}\nCONFIG = {}', { input_schema: {}, env_config: {}, config: {} }],
    ['__retry_policy__ = {}', { retry_policy: {} }],
    ['CONFIG_RESOLVE = {"path": "a.yaml"}', { config_resolve: { path: 'a.yaml' } }],
  ])('%j', (text, fields) => {
    verifies('R16')
    expect(fieldsOf(text)).toEqual(fields)
  })

  it('keep the docstring apart from the description, and unknown names as data', () => {
    verifies('R16', 'R18')
    const reading = readPython('# comment\n"""First line.\n\nMore."""\n__author__ = "Ada"\n')
    expect(reading.docstring).toBe('First line.\n\nMore.')
    expect(reading.fields.size).toBe(0)
    expect(reading.unknown).toEqual({ __author__: 'Ada' })
  })
})

describe('code', () => {
  it.each([
    ['def execute(params, project_path): pass', { hasExecute: true, hasMain: false }],
    ['async def execute(params, project_path):\n    yield', { hasExecute: true }],
    ['@wraps(x)\ndef main(): pass', { hasMain: true }],
    ['def outer():\n    def execute(): pass', { hasExecute: false }],
    ['execute = lambda params, project: params', { hasExecute: false, boundEntry: 'execute' }],
    ['from impl import run as main', { hasMain: false, boundEntry: 'main' }],
    ['execute = partial(run, 1)\nfrom impl import main', { boundEntry: 'execute' }],
    ["if __name__ == '__main__':\n    main()", { hasMainBlock: true }],
    ['class FileSink:\n    pass', { classes: ['FileSink'] }],
    ['parser.add_argument("--params")', { mentionsParams: true, mentionsProjectPath: false }],
  ])('%j', (text, facts) => {
    expect(readPython(`${text}\n`).code).toMatchObject(facts)
  })

  it('tells the signature of main', () => {
    verifies('R19')
    const text = 'def main(a, b: int, c: list[str] = [1], *rest, d: "str" = f(), **kw): pass\n'
    expect(readPython(text).code?.mainSignature).toEqual({
      takesExtra: true,
      params: [
        { name: 'a', annotation: null, hasDefault: false },
        { name: 'b', annotation: 'int', hasDefault: false },
        { name: 'c', annotation: 'list[str]', hasDefault: true, fallback: [1] },
        { name: 'd', annotation: '"str"', hasDefault: true },
      ],
    })
  })
})

describe('syntax', () => {
  it.each([
    ['a = (1', 1, "'(' was never closed"],
    ['a = 1\nb = [1)\n', 2, 'does not match'],
    ['a = 1)\n', 1, 'unmatched'],
    ['a = "x\n', 1, 'unterminated string'],
    ['a = """x\n', 1, 'unterminated string'],
    ['def f():\nx = 1\n', 2, 'expected an indented block'],
    ['a = 1\n  b = 2\n', 2, 'unexpected indent'],
    ['if a:\n    b\n  c\n', 3, 'unindent does not match'],
    ['def f(:\n    pass\n', 1, 'closed'],
    ['a = = 1\n', 1, 'missing here'],
    ['a = f"{b["c]}"\n', 1, 'unterminated string'],
    [`a = ${'f"{'.repeat(200_000)}\n`, 1, 'unterminated string'],
    ['a = 1\nprint "b"\n', 2, 'missing here'],
  ])('%j is a fault on line %i', (text, line, message) => {
    verifies('R9')
    expect(readPython(text).notes[0]).toMatchObject({
      code: 'metadata-parse',
      line,
      message: expect.stringContaining(message),
    })
  })

  it.each([
    ['a bare yield', 'def f():\n    yield\n'],
    ['a float without digits behind the point', 'x = 20.\n'],
    ['an attribute as a target', 'with a() as b.c:\n    pass\n'],
    ['continuation lines', 'x = 1 + \\\n    2\nif a and \\\n   b:\n    pass\n'],
    ['a match statement', 'def f(x):\n    match x:\n        case {"a": 1}: return 1\n'],
    ['nested quotes of an f-string', 'def f(x):\n    return f"{x["a"]}"\n'],
    ['tabs', 'if x:\n\ty = 1\n\tif y:\n\t\tz = 2\n'],
    ['CRLF and a byte order mark', '\uFEFFif x:\r\n    y = 1\r\n# end\r\n'],
    ['comments at any depth', 'def f():\n# low\n        # high\n    pass\n'],
    ['strings with brackets', "x = \"([\"\ny = '''\n)\n'''\n"],
    ['a semicolon', 'a = 1; b = 2\n'],
    ['a body of several lines without a line end', 'def f():\n    return {\n    }'],
    ['blanks at the end', 'def f():\n    return 1\n    '],
    [
      'a match statement',
      'match a, b:\n    case [1, *_] if b: x = 1\n    case _:\n        x = 2\nmatch = x\n',
    ],
    ['a with statement in brackets', 'with (\n    open(a) as b,\n    open(c) as d,\n):\n    pass\nx = 1\n'],
    ['a walrus, a lambda, a decorator', '@d(lambda x: (y := x))\ndef f(a, /, *, b): pass\n'],
    ['form feeds', '\f\nx = 1\n  \f\ny = 2\n\fz = [3,\n\f4]\nif a:\n\f    b\n'],
    ['numbers that end in a point', 'x = [1. + 2j, 1.e5, 1.j, 1..real]\ny = f"{0.:z.1f}"\n'],
    ['stars in subscripts', 'x: tuple[*T] = a[*b, 1:2]\ndef f(*y: *T): pass\n'],
    ['stars in loops', 'for x in *a, *b: pass\nfor *x, y in z: pass\nx = [a for a, *b in c]\n'],
    ['type parameters', 'def f[T: int = str, *U = *V, **P](a: T): pass\nclass A[\n  T\n]: pass\n'],
    ['type statements', 'type A[X, *B, **C] = tuple[X]\ntype = A\nfor type in [A]: pass\n'],
    ['decorators of any form', '@a[0].b\n@(lambda f: f)\n@c(\n  d).e\ndef f(): pass\n'],
    ['parameters of a lambda', 'x = lambda a, /, b, *, c, : 0\n'],
    ['a with statement in one line', 'with (a as b, c as d.e): f()\nasync with g: pass\n'],
    ['print as a name', 'print = 1\nx.print(print, print=print)\n'],
    ['a yield without a value', 'x = yield\ny = lambda: (yield)\n'],
    ['a continuation before an empty line', 'x = 1\\\n\n# c\ny = 2\n\\\nz = 3\n'],
    ['f-strings in f-strings', "x = f'{f' {a}\\n' if a else ''} ({b})'\ndef f(): return f'{b['c']}('\n"],
    ['an f-string field of several lines', 'x = f"{(  # "\n  1 +\n  2)!r:>{w}}"\n'],
    ['f-strings with odd braces', 'x = rf"\\{a}\\"{b}"\ny = f"\\N{DASH}{{" f"}}{c:%H:{d}}"\n'],
    ['a template string', 'x = t"{a["b"]}"\ny = tr"("\n'],
    ['hundreds of statements', '# long\n'.repeat(300) + 'x = f(1)\n\n'.repeat(900)],
    ['hundreds of terms', `x = (${'long_name * 3 + '.repeat(900)}b"")\n`],
  ])('%s is in order', (_, text) => {
    verifies('R9')
    expect(readPython(text).notes).toEqual([])
  })

  it('is in order in every module of the standard library', () => {
    verifies('R9')
    const list =
      'import ast, glob, os\nfor f in glob.glob(os.path.dirname(os.__file__) + "/*.py"): ast.parse(open(f, "rb").read()); print(f)'
    const files = execFileSync('python3', ['-c', list], { encoding: 'utf8' }).trim().split('\n')
    expect(files.length).toBeGreaterThan(100)
    const wrong = files.filter((file) =>
      readPython(readFileSync(file, 'utf8')).notes.some((note) => note.code === 'metadata-parse'),
    )
    expect(wrong).toEqual([])
  })

  it('leaves values as they are written, whatever the grammar was given', () => {
    verifies('R10')
    const { fields, unknown } = readPython(
      '__timeout__ = 1.\n__version__ = f"1.{{0}}"\n__tags__ = [*[\n\f"print"]]\n__type__ = t"1"\n',
    )
    expect([...fields].map(([name, field]) => [name, field.value])).toEqual([
      ['timeout', 1],
      ['version', '1.{0}'],
      ['tags', ['print']],
    ])
    expect(unknown).toEqual({})
  })

  it('finds the line of a part of a field', () => {
    const reading = readPython(
      'CONFIG_SCHEMA = {\n  "properties": {\n    "a": {\n      "type": "x",\n    },\n  },\n}\n',
    )
    expect(reading.locate('config_schema', '/properties/a/type')).toBe(4)
    expect(reading.locate('config_schema', '/nothing')).toBe(1)
  })
})
