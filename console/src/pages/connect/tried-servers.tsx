// What tried servers offer, with a box for each tool.
import type { TriedServer } from '../../api/types.ts'
import { showInvisible } from '../../parts/invisible.ts'
import { linkTo } from '../../state/route.ts'
import { say, sayKnown, sayMany } from '../../words/say.ts'

/** The tools that are taken in, by the server's name. */
export type Chosen = { readonly [server: string]: readonly string[] }

export function everyTool(servers: readonly TriedServer[]): Chosen {
  return Object.fromEntries(servers.map(({ name, tools }) => [name, tools.map((tool) => tool.name)]))
}

interface TriedServersProps {
  readonly servers: readonly TriedServer[]
  readonly chosen: Chosen
  onChoose(chosen: Chosen): void
}

export function TriedServers({ servers, chosen, onChoose }: TriedServersProps) {
  return (
    <>
      {servers.map((server) => (
        <Tried
          key={server.name}
          server={server}
          chosen={chosen[server.name] ?? []}
          onChoose={(names) => onChoose({ ...chosen, [server.name]: names })}
        />
      ))}
    </>
  )
}

interface TriedProps {
  readonly server: TriedServer
  readonly chosen: readonly string[]
  onChoose(names: readonly string[]): void
}

function Tried({ server, chosen, onChoose }: TriedProps) {
  const { name, words, tools, capabilities, secrets, problem, notes } = server
  const names = tools.map((tool) => tool.name)
  return (
    <section class="tried stack tight" aria-label={name}>
      <h3 class="mono">{name}</h3>
      <p class="muted mono cut" title={words}>
        {words}
      </p>
      {problem && (
        <div class="callout" data-tone="bad">
          <p class="server-words">{showInvisible(problem.message)}</p>
          {problem.hint && <p class="muted">{problem.hint}</p>}
        </div>
      )}
      {secrets.map((secret) => (
        <p key={secret}>
          {say('It needs the secret {name}.', { name: secret })}{' '}
          <a href={linkTo('settings', '', { tab: 'secrets', name: secret })}>{say('Store it')}</a>
        </p>
      ))}
      {capabilities.length > 0 && (
        <p class="row wrap">
          <span class="muted">{say('Its code can touch')}</span>
          {capabilities.slice(0, 12).map((capability) => (
            <code key={capability} class="chip">
              {capability}
            </code>
          ))}
        </p>
      )}
      {notes.map((note) => (
        <p key={note} class="muted">
          {note}
        </p>
      ))}
      {tools.length > 1 && (
        <div class="row">
          <button type="button" class="button small" onClick={() => onChoose(names)}>
            {say('All')}
          </button>
          <button type="button" class="button small" onClick={() => onChoose([])}>
            {say('None')}
          </button>
          <span class="muted">{sayMany(chosen.length, '{n} tool chosen', '{n} tools chosen')}</span>
        </div>
      )}
      <ul class="tried-tools lines">
        {tools.map((tool) => (
          <li key={tool.name}>
            <label class="line">
              <input
                type="checkbox"
                checked={chosen.includes(tool.name)}
                onChange={({ currentTarget }) =>
                  onChoose(
                    names.filter((each) =>
                      each === tool.name ? currentTarget.checked : chosen.includes(each),
                    ),
                  )
                }
              />
              <span class="grow stack tight">
                <span class="row wrap">
                  <span class="mono">{showInvisible(tool.name)}</span>
                  {tool.says.map((word) => (
                    <span key={word} class="muted">
                      {say('says it')} {sayKnown(word)}
                    </span>
                  ))}
                </span>
                <span class="muted tried-words">{showInvisible(tool.description.slice(0, 300))}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}
