// Changes a file of a tool: the text, what is wrong with it once it is saved, and the way back.
import { useState } from 'preact/hooks'
import { type ApiError, askJson, idPath } from '../../api/client.ts'
import type { Problem, SourceFile, Tool } from '../../api/types.ts'
import { Failure } from '../../parts/failure.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { ProblemList } from '../../parts/problem-list.tsx'
import { announce } from '../../state/notices.ts'
import { outdate } from '../../state/query.ts'
import { say } from '../../words/say.ts'

const CodeEditor = lazy(async () => (await import('../../parts/code-editor.tsx')).CodeEditor)

interface EditSourceProps {
  readonly tool: Tool
  readonly file: SourceFile
  onClose(): void
}

export function EditSource({ tool, file, onClose }: EditSourceProps) {
  const [text, setText] = useState(file.text ?? '')
  const [saved, setSaved] = useState({ text: file.text ?? '', digest: file.digest! })
  const [problems, setProblems] = useState<readonly Problem[]>(tool.problems)
  const [fault, setFault] = useState<ApiError | null>(null)
  const isChanged = text !== saved.text
  const save = async () => {
    if (!isChanged) return
    try {
      const answer = await askJson<{ digest: string; problems: readonly Problem[] }>(
        `/api/console/source/${idPath(tool.id)}`,
        { method: 'POST', body: { path: file.path, text, digest: saved.digest } },
      )
      setSaved({ text, digest: answer.digest })
      setProblems(answer.problems)
      setFault(null)
      announce(say('{file} saved', { file: file.path }))
      outdate('catalog', 'approvals')
    } catch (error) {
      setFault(error as ApiError)
    }
  }
  const ofFile = problems.filter(
    (problem) => problem.severity !== 'info' && problem.file?.endsWith(file.path),
  )
  return (
    <div class="stack edit-source">
      <CodeEditor
        path={file.path}
        text={file.text ?? ''}
        label={say('Text of {file}', { file: file.path })}
        faults={ofFile.map(({ line, message }) => ({ line: line ?? 1, message }))}
        onChange={setText}
        onSave={save}
      />
      {fault && <Failure error={fault} />}
      {problems.length > 0 && <ProblemList problems={problems} />}
      <div class="row wrap">
        <button type="button" class="button primary" disabled={!isChanged} onClick={save}>
          {say('Save')}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {isChanged ? say('Leave without saving') : say('Close')}
        </button>
        <span class="muted">{say('Ctrl-S saves.')}</span>
      </div>
    </div>
  )
}
