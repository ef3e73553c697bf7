import { symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCrib, removeCribs, writeCrib } from '../../test/helpers/rye-crib.ts'
import { makeSigner, removeSigners } from '../../test/helpers/signing.ts'
import { verifies } from '../../test/helpers/verifies.ts'
import { coveredFiles } from './covered-files.ts'
import { configVerifier } from './judge-file.ts'
import { judgeTool } from './judge-tool.ts'
import { signFile, signText } from './sign-file.ts'
import { TrustStore } from './trust-store.ts'

afterAll(() => {
  removeCribs()
  removeSigners()
})

const head = (category: string, executor = 'python/function'): string =>
  [
    '__version__ = "1.0.0"',
    '__tool_type__ = "python"',
    `__executor_id__ = "${executor}"`,
    `__category__ = "${category}"`,
    '__tool_description__ = "x"',
    '',
  ].join('\n')
const body = 'def execute(params, project_path):\n    return {"success": True}\n'

function covered(root: string, id: string): string[] {
  const crib = readCrib(root)
  return coveredFiles(crib.tool(id), root).map((entry) => relative(join(root, '.ai'), entry.file))
}

describe('the files of a tool', () => {
  it('of a Python script are those too that stand for modules of the standard library', () => {
    verifies('R79')
    const files = {
      '.ai/tools/a/gettext.py': 'from words import w\n',
      '.ai/tools/a/words.py': '',
      '.ai/tools/a/logging/__init__.py': '',
      '.ai/tools/a/_socket.abi3.so': '',
      '.ai/tools/a/unused.py': '',
      '.ai/tools/a/json.txt': '',
    }
    const main = 'if __name__ == "__main__":\n    pass\n'
    const script = writeCrib({ ...files, '.ai/tools/a/t.py': `${head('a', 'python/script')}${main}` })
    expect(covered(script, 'a/t').sort()).toEqual(
      ['_socket.abi3.so', 'gettext.py', 'logging/__init__.py', 't.py', 'words.py'].map(
        (name) => `tools/a/${name}`,
      ),
    )
    // A worker looks beside a function's file only after its own library.
    const called = writeCrib({ ...files, '.ai/tools/a/t.py': `${head('a')}${body}` })
    expect(covered(called, 'a/t')).toEqual(['tools/a/t.py'])
  })

  it('are its own and what it imports inside its tier, transitively', () => {
    verifies('R79')
    const root = writeCrib({
      '.ai/tools/a/t.py': `import json\nfrom helper import f\nimport pkg.deep\n${head('a')}${body}    from late import x\n`,
      '.ai/tools/a/helper.py': 'from .other import g\n',
      '.ai/tools/a/other.py': '',
      '.ai/tools/a/late.py': '',
      '.ai/tools/a/unused.py': '',
      '.ai/tools/a/pkg/__init__.py': '',
      '.ai/tools/a/pkg/deep.py': '',
    })
    expect(covered(root, 'a/t').sort()).toEqual([
      'tools/a/helper.py',
      'tools/a/late.py',
      'tools/a/other.py',
      'tools/a/pkg/__init__.py',
      'tools/a/pkg/deep.py',
      'tools/a/t.py',
    ])
  })

  it('of Python are native modules too, which go before sources of the same name', () => {
    verifies('R79')
    const root = writeCrib({
      '.ai/tools/a/t.py': `import helper\nimport pkg.deep\n${head('a')}${body}`,
      '.ai/tools/a/helper.py': '',
      '.ai/tools/a/helper.abi3.so': '',
      '.ai/tools/a/helpers.so': '',
      '.ai/tools/a/pkg/deep.cpython-312-x86_64-linux-gnu.so': '',
    })
    expect(covered(root, 'a/t').sort()).toEqual(
      ['helper.abi3.so', 'helper.py', 'pkg/deep.cpython-312-x86_64-linux-gnu.so', 't.py'].map(
        (name) => `tools/a/${name}`,
      ),
    )
  })

  it('of a script language are followed by path, whatever the spelling', () => {
    verifies('R79')
    const root = writeCrib({
      '.ai/tools/a/t.ts': [
        "import { x } from './one.js'",
        "export * from './two'",
        "const three = require('./three.cjs')",
        'export const __version__ = "1.0.0", __tool_type__ = "javascript", __executor_id__ = "node/node"',
        'export const __category__ = "a", __tool_description__ = "x"',
        'export default async () => import("./four.mjs")',
      ].join('\n'),
      '.ai/tools/a/one.ts': "import fs from 'node:fs'",
      '.ai/tools/a/two.js': '',
      '.ai/tools/a/three.cjs': '',
      '.ai/tools/a/four.mjs': '',
    })
    expect(covered(root, 'a/t').sort()).toEqual(
      ['four.mjs', 'one.ts', 't.ts', 'three.cjs', 'two.js'].map((name) => `tools/a/${name}`),
    )
  })

  it('are, with an active anchor, everything its verify_deps names', () => {
    verifies('R79', 'R31')
    const root = writeCrib({
      '.ai/tools/a/__init__.py': '',
      '.ai/tools/a/t.py': head('a') + body,
      '.ai/tools/a/data.json': '{}',
      '.ai/tools/a/sub/x.py': '',
      '.ai/tools/a/notes.txt': '',
      '.ai/tools/a/package.json': '{}',
      '.ai/tools/a/.hidden/x.py': '',
      '.ai/tools/a/__pycache__/x.py': '',
    })
    expect(covered(root, 'a/t').sort()).toEqual(
      ['__init__.py', 'data.json', 'sub/x.py', 't.py'].map((name) => `tools/a/${name}`),
    )
  })

  it('include the runtime, the script and the MCP server of other entries', () => {
    verifies('R79', 'R36')
    const root = writeCrib({
      '.ai/tools/lua.yaml':
        'tool_type: runtime\nversion: "1.0.0"\ndescription: x\nexecutor_id: subprocess\nextensions: [.lua]\nconfig: {command: lua, args: ["{tool_path}"]}\n',
      '.ai/tools/a/greet.yaml':
        'tool_type: script\nversion: "1.0.0"\ndescription: x\nexecutor_id: lua\ncategory: a\n',
      '.ai/tools/a/greet.lua': 'print(1)',
      '.ai/tools/a/ask.yaml':
        'tool_type: mcp\nversion: "1.0.0"\ndescription: x\nexecutor_id: mcp/http\ncategory: a\nconfig: {server: a/server, tool_name: t}\n',
      '.ai/tools/a/server.yaml':
        'tool_type: mcp_server\nversion: "1.0.0"\ndescription: x\nexecutor_id: null\ncategory: a\nconfig: {url: "http://127.0.0.1:1/mcp"}\n',
    })
    expect(covered(root, 'a/greet').sort()).toEqual([
      'tools/a/greet.lua',
      'tools/a/greet.yaml',
      'tools/lua.yaml',
    ])
    expect(covered(root, 'a/ask').sort()).toEqual(['tools/a/ask.yaml', 'tools/a/server.yaml'])
  })
})

describe('the verdict on a tool', () => {
  function signedCrib() {
    const signer = makeSigner()
    const root = writeCrib({
      '.ai/tools/a/t.py': `from helper import f\n${head('a')}${body}`,
      '.ai/tools/a/helper.py': 'f = 1\n',
    })
    const files = ['t.py', 'helper.py'].map((name) => join(root, '.ai/tools/a', name))
    for (const file of files) signFile(file, { key: signer.key, system: signer.spaces.system })
    const store = new TrustStore({ ...signer.spaces, project: root })
    const judge = (mode: 'off' | 'warn' | 'require' = 'warn') => {
      const crib = readCrib(root)
      return judgeTool(crib.tool('a/t'), store, { mode, projectPath: root })
    }
    return { signer, root, files, judge }
  }

  it('is trusted when every file is, and names the key', () => {
    verifies('R79')
    const { judge, signer } = signedCrib()
    expect(judge()).toMatchObject({
      status: 'trusted',
      keyId: signer.key.keyId,
      owner: 'Ada',
      keyTier: 'user',
    })
  })

  it('is the worst of its files', () => {
    verifies('R78', 'R79')
    const { files, judge } = signedCrib()
    writeFileSync(files[1]!, 'f = 2\n')
    expect(judge()).toMatchObject({ status: 'unsigned', reason: expect.stringContaining('helper.py') })
    writeFileSync(
      files[1]!,
      signText('x.py', 'f = 2\n', makeSigner().key, '2026-01-02T03:04:05Z').replace('f = 2', 'f = 3'),
    )
    expect(judge().status).toBe('tampered')
  })

  it('is not asked for when trust is off', () => {
    verifies('R78')
    const { judge } = signedCrib()
    expect(judge('off')).toEqual({ status: 'unchecked' })
  })

  it('refuses a dependency that leads out of the tier by a symbolic link', () => {
    verifies('R79')
    const { root, judge, signer } = signedCrib()
    writeFileSync(join(root, 'outside.py'), '')
    symlinkSync(join(root, 'outside.py'), join(root, '.ai/tools/a/extra.py'))
    const tool = join(root, '.ai/tools/a/t.py')
    writeFileSync(tool, `import extra\n${head('a')}${body}`)
    signFile(tool, { key: signer.key, system: signer.spaces.system })
    expect(judge()).toMatchObject({ status: 'tampered', reason: expect.stringContaining('symbolic link') })
  })

  it('trusts the files that ship with the program', () => {
    verifies('R79')
    const crib = readCrib(writeCrib({}))
    const { store } = makeSigner()
    const tool = crib.tool('rye/core/primitives/subprocess')
    expect(judgeTool(tool, store, { mode: 'require', projectPath: '/' }).status).toBe('trusted')
  })
})

it.each([
  ['unsigned', 'require', undefined],
  ['modified', 'warn', 'TRUST_TAMPERED'],
  ['modified', 'off', undefined],
  ['untrusted', 'warn', undefined],
  ['untrusted', 'require', 'TRUST_UNTRUSTED'],
] as const)('a configuration file that is %s in mode %s ends with %s', (kind, mode, code) => {
  verifies('R54')
  const signer = makeSigner()
  const key = kind === 'untrusted' ? makeSigner().key : signer.key
  const signed = signText('c.yaml', 'a: 1\n', key, '2026-01-02T03:04:05Z')
  const text = kind === 'unsigned' ? 'a: 1\n' : kind === 'modified' ? signed.replace('a: 1', 'a: 2') : signed
  const verify = () => configVerifier(signer.store, mode)('/x/c.yaml', Buffer.from(text))
  if (code) expect(verify).toThrow(expect.objectContaining({ code }))
  else expect(verify).not.toThrow()
})
