// What is to be known beside trying it: who vouches, what it may touch, what limits it has, where it comes from.
import type { Profile, Tool, ToolDescription } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { duration, Moment } from '../../parts/time.tsx'
import { withinCrib } from '../../parts/within-crib.ts'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'
import { LockFact } from './lock-fact.tsx'

export function FactsPanel({ description }: { description: ToolDescription }) {
  const { tool, profile } = description
  return (
    <aside class="card facts-panel" aria-label={say('Facts')}>
      <div class="body stack">
        <Trust tool={tool} />
        <ProfileFacts profile={profile} />
        <Origin tool={tool} />
      </div>
    </aside>
  )
}

function Trust({ tool }: { tool: Tool }) {
  const { trust } = tool
  return (
    <section>
      <h2>{say('Trust')}</h2>
      <dl class="facts">
        <dt>{say('Signature')}</dt>
        <dd>{say(trust.status)}</dd>
        {trust.owner && (
          <>
            <dt>{say('Signed by')}</dt>
            <dd>{trust.owner}</dd>
          </>
        )}
        {trust.keyId && (
          <>
            <dt>{say('Key')}</dt>
            <dd class="mono">{trust.keyId.slice(0, 16)}</dd>
          </>
        )}
        {trust.signedAt && (
          <>
            <dt>{say('Signed')}</dt>
            <dd>
              <Moment moment={trust.signedAt} />
            </dd>
          </>
        )}
        {trust.reason && (
          <>
            <dt>{say('Why')}</dt>
            <dd>{trust.reason}</dd>
          </>
        )}
        <LockFact tool={tool} />
      </dl>
    </section>
  )
}

function ProfileFacts({ profile }: { profile: Profile }) {
  const { network } = profile
  return (
    <section>
      <h2>{say('Profile')}</h2>
      <dl class="facts">
        <dt>{say('Network')}</dt>
        <dd>
          {network.mode === 'none' ? say('none') : network.mode === 'public' ? say('public addresses') : ''}
          {network.mode !== 'none' && network.hosts.length > 0 && ` ${network.hosts.join(', ')}`}
        </dd>
        <dt>{say('Reads')}</dt>
        <dd>
          <Paths paths={profile.read} none={say('its own files only')} />
        </dd>
        <dt>{say('Writes')}</dt>
        <dd>
          <Paths paths={profile.write} none={say('nothing')} />
        </dd>
        <dt>{say('Programs')}</dt>
        <dd>{profile.subprocess ? say('may start programs') : say('none')}</dd>
        <dt>{say('Limits')}</dt>
        <dd>
          {say('{mb} MB, {n} processes', { mb: profile.memoryMb, n: profile.processes })}
          {profile.cpuPercent !== null && say(', {n} % of a processor', { n: profile.cpuPercent })}
        </dd>
      </dl>
    </section>
  )
}

function Paths({ paths, none }: { paths: readonly string[]; none: string }) {
  if (paths.length === 0) return <>{none}</>
  return (
    <ul>
      {paths.map((path) => (
        <li key={path} class="mono">
          {withinCrib(path)}
        </li>
      ))}
    </ul>
  )
}

function Origin({ tool }: { tool: Tool }) {
  const { file, line } = tool.source
  return (
    <section>
      <h2>{say('Origin')}</h2>
      <dl class="facts">
        <dt>{say('File')}</dt>
        <dd class="mono">
          {file ? `${withinCrib(file)}${line ? `:${line}` : ''}` : say('made in code')}
          {file && <CopyButton label={say('path')} text={`${file}${line ? `:${line}` : ''}`} />}
        </dd>
        <dt>{say('Model name')}</dt>
        <dd class="mono">{tool.name}</dd>
        {tool.aliases.length > 0 && (
          <>
            <dt>{say('Aliases')}</dt>
            <dd class="mono">{tool.aliases.join(', ')}</dd>
          </>
        )}
        {tool.limits.timeoutMs !== undefined && (
          <>
            <dt>{say('Time limit')}</dt>
            <dd>{duration(tool.limits.timeoutMs)}</dd>
          </>
        )}
        <dt>{say('Tier')}</dt>
        <dd>{tool.tier}</dd>
        {tool.tags.length > 0 && (
          <>
            <dt>{say('Tags')}</dt>
            <dd class="row wrap">
              {tool.tags.map((tag) => (
                <a key={tag} class="badge" href={linkTo('tools', '', { tag })}>
                  {tag}
                </a>
              ))}
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}
