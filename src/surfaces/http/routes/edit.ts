// Routes that change files of the crib for somebody at the console. They exist only under `serve --edit`, on loopback,
// for admins, and each change is one record of the audit chain (V18). Without it the console shows the text to paste.
import { editSettings } from '../../../config/edit-settings.ts'
import type { Crib } from '../../../crib/crib.ts'
import type { Problem } from '../../../tool/problem.ts'
import { problemShape } from '../../../tool/problem-shape.ts'
import { named, type Static, t } from '../../../tool/shape.ts'
import type { Tool } from '../../../tool/tool.ts'
import { filesOfTool } from '../../trust/named-files.ts'
import { recordAllowed, saveSettings } from '../../trust/save-settings.ts'
import { signFiles } from '../../trust/sign-files.ts'
import { admin } from '../access.ts'
import { toolToShow } from '../find-tool.ts'
import { HttpProblem } from '../problem-json.ts'
import { checkedBody, json, type Route, route } from '../route.ts'
import { maxBytes, saveSource } from '../tool-source.ts'
import { toolId } from './tools.ts'

const names = t.list(t.text({ minLength: 1, maxLength: 200 }), { maxItems: 50 })

const changeBody = named(
  'SettingsChange',
  t.closed({
    list: t.oneOf(['grants.tools', 'grants.default', 'approve'], { description: 'The list to change.' }),
    pattern: t.optional(
      t.text({ minLength: 1, maxLength: 200, description: 'Tools it is for, in `grants.tools`.' }),
    ),
    add: t.optional(names),
    remove: t.optional(names),
    digest: t.optional(t.text({ description: 'Of the text that was seen; needed to save.' })),
  }),
)

const editShape = t.object({ file: t.text(), before: t.text(), after: t.text(), digest: t.text() })

const sourceBody = named(
  'SourceChange',
  t.closed({
    path: t.text({ minLength: 1, maxLength: 1_000, description: 'As the source of the tool names it.' }),
    text: t.text({ maxLength: maxBytes }),
    digest: t.text({ description: 'Of the text that was seen.' }),
  }),
)

const savedShape = t.object({
  digest: t.text({ description: 'Of the text that is in place now.' }),
  problems: t.list(problemShape, { description: 'What is wrong with the tool now.' }),
})

const signedShape = t.object({
  files: t.list(t.text(), { description: 'What was signed, as paths within the crib.' }),
})

type Change = Static<typeof changeBody>

export const editRoutes: readonly Route[] = [
  route({
    id: 'previewSettings',
    method: 'post',
    path: '/api/console/settings/preview',
    summary: 'What a change of the settings would make of toolcrib.yaml; writes nothing',
    access: admin('see the settings file'),
    body: checkedBody(changeBody, true),
    answers: { 200: json('Before and after', editShape) },
    handle: async ({ body }, { crib }) => editOf(crib, await body()),
  }),
  route({
    id: 'saveSettings',
    method: 'post',
    path: '/api/console/settings',
    summary: 'Changes a list in toolcrib.yaml; only under `serve --edit`',
    access: admin('change the settings file'),
    body: checkedBody(changeBody, true),
    answers: { 200: json('Written', editShape) },
    isServed: ({ canEdit }) => canEdit,
    async handle({ body: read, principal }, { crib }) {
      const change = await read()
      const edit = editOf(crib, change)
      if (change.digest !== edit.digest)
        throw new HttpProblem('CONFLICT', 'toolcrib.yaml changed since the difference was shown.', {
          hint: 'Look at the difference again, then save.',
        })
      const { list, pattern = '' } = change
      await saveSettings(crib, {
        edit,
        key: list === 'grants.tools' ? `${list}.${pattern}` : list,
        pattern,
        principal,
        reason: reasonOf(change),
      })
      return edit
    },
  }),
  route({
    id: 'saveSource',
    method: 'post',
    path: '/api/console/source/:id{.+}',
    summary: 'Saves a file of a tool; only under `serve --edit`',
    access: admin('change the files of tools'),
    params: { id: toolId },
    body: checkedBody(sourceBody, true),
    answers: { 200: json('Written', savedShape) },
    isServed: ({ canEdit }) => canEdit,
    async handle({ params, body: read, principal }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      const change = await read()
      const digest = await saveSource(crib, tool, change)
      recordAllowed(crib, principal, { tool: tool.id, reason: `${change.path} saved in the console` })
      await crib.reload()
      return { digest, problems: problemsOf(crib, tool) }
    },
  }),
  route({
    id: 'signTool',
    method: 'post',
    path: '/api/console/sign/:id{.+}',
    summary: 'Signs the files of a tool with the key of the user; only under `serve --edit`',
    access: admin('sign tools'),
    params: { id: toolId },
    answers: { 200: json('Signed', signedShape) },
    isServed: ({ canEdit }) => canEdit,
    async handle({ params, principal }, { crib }) {
      const tool = await toolToShow(crib, params.id, principal)
      const items = await signFiles(crib, filesOfTool(crib, tool))
      const refused = items.find(({ status }) => status === 'invalid')
      if (refused)
        throw new HttpProblem('CONFLICT', `${refused.path} was not signed: ${refused.reason}.`, {
          hint: refused.hint,
        })
      const files = items.map(({ path }) => path)
      recordAllowed(crib, principal, { tool: tool.id, reason: `${files.join(', ')} signed in the console` })
      await crib.reload()
      return { files }
    },
  }),
]

/** Those of the tool as it is read now; of a file that holds none any more, those of the file. */
function problemsOf(crib: Crib, { id, source: { file } }: Tool): readonly Problem[] {
  const now = crib.catalog.tools.find((each) => each.id === id && each.source.file === file)
  return now?.problems ?? crib.catalog.problems.filter((problem) => problem.file === file)
}

function editOf(crib: Crib, { list, pattern, add, remove }: Change) {
  if (list === 'grants.tools' && pattern === undefined)
    throw new HttpProblem('BODY_INVALID', 'grants.tools needs a pattern: the tools it is for.')
  const path = list === 'grants.tools' ? ['grants', 'tools', pattern!] : list.split('.')
  return editSettings(crib.spaces.project, { path, add, remove })
}

function reasonOf({ list, add = [], remove = [] }: Change): string {
  const what = [...add.map((item) => `+${item}`), ...remove.map((item) => `-${item}`)].join(' ')
  return `${list} of toolcrib.yaml changed in the console: ${what}`
}
