// The files a tool is made of, with line numbers; the line it is defined on and lines with problems are marked.
import { useState } from 'preact/hooks'
import { askJson, idPath } from '../../api/client.ts'
import type { SourceFile, Tool } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Loading } from '../../parts/loading.tsx'
import { useLoaded } from '../../state/use-loaded.ts'
import { say } from '../../words/say.ts'
import { EditSource } from './edit-source.tsx'

export function SourceTab({ tool }: { tool: Tool }) {
  const { data, error, reload } = useLoaded(
    (signal) => askJson<{ files: SourceFile[] }>(`/api/console/source/${idPath(tool.id)}`, { signal }),
    [tool.id, tool.source.digest],
  )
  const [at, setAt] = useState(0)
  const [isEditing, setEditing] = useState(false)
  if (error) return <Failure error={error} onRetry={reload} />
  if (!data) return <Loading what={say('the source')} lines={10} />
  const files = [...embeddedSource(tool), ...data.files]
  const file = files[at] ?? files[0]
  if (!file)
    return <Empty title={say('No files')}>{say('This tool was made in code, or lives in the store.')}</Empty>
  return (
    <section class="card" aria-label={say('Source')}>
      <header>
        {files.length > 1 ? (
          <select
            class="input short"
            aria-label={say('File')}
            value={String(at)}
            disabled={isEditing}
            onChange={(event) => setAt(Number(event.currentTarget.value))}
          >
            {files.map((each, index) => (
              <option key={each.path} value={String(index)}>
                {each.path}
              </option>
            ))}
          </select>
        ) : (
          <h2 class="mono">{file.path}</h2>
        )}
        <span class="row">
          {file.text !== null && <CopyButton label={say('file')} text={file.text} />}
          {file.digest !== undefined && !isEditing && (
            <button type="button" class="button small" onClick={() => setEditing(true)}>
              {say('Edit')}
            </button>
          )}
        </span>
      </header>
      {file.note && <p class="source-note muted">{file.note}</p>}
      {isEditing && file.digest !== undefined ? (
        <EditSource
          key={file.path}
          tool={tool}
          file={file}
          onClose={() => {
            setEditing(false)
            reload()
          }}
        />
      ) : (
        file.text !== null && <Lines file={file} tool={tool} />
      )}
    </section>
  )
}

function Lines({ file, tool }: { file: SourceFile; tool: Tool }) {
  const isDefining = tool.source.file?.endsWith(file.path) ?? false
  const faulty = new Map(
    tool.problems
      .filter((problem) => problem.file?.endsWith(file.path))
      .map((problem) => [problem.line ?? 0, problem.message]),
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre class="source" tabIndex={0} role="region" aria-label={say('Text of {file}', { file: file.path })}>
      {file.text!.split('\n').map((line, index) => (
        <span
          key={index}
          class="source-line"
          data-here={(isDefining && tool.source.line === index + 1) || undefined}
          data-faulty={faulty.has(index + 1) || undefined}
          title={faulty.get(index + 1)}
        >
          {line}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

/** A program that its definition carries as text is easier to read on its own. */
function embeddedSource(tool: Tool): SourceFile[] {
  const plan = tool.runtime?.name === 'deno' ? tool.runtime.plan : undefined
  if (!plan) return []
  return [
    {
      path: say('{file} (inside the definition)', {
        file: `${tool.id}.${plan.language === 'javascript' ? 'js' : 'ts'}`,
      }),
      text: plan.source,
    },
  ]
}
