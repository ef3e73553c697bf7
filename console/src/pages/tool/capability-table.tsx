// What a tool can touch: what its definition says, what its code tells, what runs used, what it is granted.
import type { ToolDescription } from '../../api/types.ts'
import { Icon } from '../../parts/icon.tsx'
import { showInvisible } from '../../parts/invisible.ts'
import { Ago } from '../../parts/time.tsx'
import { linkTo } from '../../state/route.ts'
import { count, say } from '../../words/say.ts'

type Capability = ToolDescription['capabilities'][number]

const mostPlaces = 3

export function CapabilityTable({ description: { tool, capabilities } }: { description: ToolDescription }) {
  return (
    <section class="stack tight">
      <h2>{say('Capabilities')}</h2>
      {tool.requires === null && (
        <p class="muted">{say('Its definition states none; it gets what is granted.')}</p>
      )}
      {capabilities.length === 0 ? (
        <p class="muted">{say('Nothing is declared, inferred, used or granted.')}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <div class="scroll-x" tabIndex={0} role="region" aria-label={say('Capabilities')}>
          <table class="table capability-table">
            <thead>
              <tr>
                <th scope="col">{say('Capability')}</th>
                <th scope="col">{say('Declared')}</th>
                <th scope="col">{say('Inferred')}</th>
                <th scope="col">{say('Used')}</th>
                <th scope="col">{say('Granted')}</th>
              </tr>
            </thead>
            <tbody>
              {capabilities.map((capability) => (
                <Line key={nameOf(capability)} tool={tool.id} capability={capability} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {tool.secrets && tool.secrets.length > 0 && (
        <p>
          <span class="muted">{say('Secrets')}</span>{' '}
          {tool.secrets.map((name) => (
            <code key={name} class="chip">
              {name}
            </code>
          ))}
        </p>
      )}
    </section>
  )
}

function Line({ tool, capability }: { tool: string; capability: Capability }) {
  const { declared, inferred, used, granted } = capability
  const isLacking = (declared || inferred.length > 0) && !granted
  return (
    <tr data-lacking={isLacking || undefined}>
      <th scope="row" class="mono">
        {showInvisible(nameOf(capability))}
      </th>
      <td>
        <Mark isYes={declared} />
      </td>
      <td>
        {inferred.length === 0 ? (
          <Mark isYes={false} />
        ) : (
          <span class="row wrap">
            {inferred.slice(0, mostPlaces).map(({ file, line, certainty }, index) => (
              <a
                key={index}
                class="mono"
                href={linkTo('tools', tool, { tab: 'code' })}
                title={`${file ?? say('its definition')}:${line ?? 1} (${say(certainty)})`}
              >
                {`${file?.split('/').at(-1) ?? say('its definition')}:${line ?? 1}`}
              </a>
            ))}
            {inferred.length > mostPlaces && (
              <span class="muted">{say('{n} more', { n: inferred.length - mostPlaces })}</span>
            )}
          </span>
        )}
      </td>
      <td>
        {used ? (
          <>
            {count(used.count)} <span class="muted">·</span> <Ago moment={used.lastAt} />
          </>
        ) : (
          <Mark isYes={false} />
        )}
      </td>
      <td>{isLacking ? <span class="bad-text">{say('no')}</span> : <Mark isYes={granted} />}</td>
    </tr>
  )
}

/** The normal is quiet: a dash where there is nothing. */
function Mark({ isYes }: { isYes: boolean }) {
  return isYes ? (
    <>
      <Icon name="check" />
      <span class="unseen">{say('yes')}</span>
    </>
  ) : (
    <>
      <span class="muted" aria-hidden="true">
        –
      </span>
      <span class="unseen">{say('no')}</span>
    </>
  )
}

function nameOf({ capability, detail }: Capability): string {
  return detail === undefined ? capability : `${capability}:${detail}`
}
