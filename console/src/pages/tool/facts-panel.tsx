// What is to be known beside trying it: who vouches, what it may touch, what limits it has, where it comes from.
import type { Profile, Tool, ToolDescription } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { duration, localTime } from '../../parts/time.tsx'
import { info } from '../../state/live.ts'
import { linkTo } from '../../state/route.ts'
import { LockFact } from './lock-fact.tsx'

export function FactsPanel({ description }: { description: ToolDescription }) {
  const { tool, grants, profile } = description
  return (
    <aside class="card facts-panel" aria-label="Facts">
      <div class="body stack">
        <Trust tool={tool} />
        <Capabilities tool={tool} grants={grants} />
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
      <h2>Trust</h2>
      <dl class="facts">
        <dt>Signature</dt>
        <dd>{trust.status}</dd>
        {trust.owner && (
          <>
            <dt>Signed by</dt>
            <dd>{trust.owner}</dd>
          </>
        )}
        {trust.keyId && (
          <>
            <dt>Key</dt>
            <dd class="mono">{trust.keyId.slice(0, 16)}</dd>
          </>
        )}
        {trust.signedAt && (
          <>
            <dt>Signed</dt>
            <dd>{localTime(trust.signedAt)}</dd>
          </>
        )}
        {trust.reason && (
          <>
            <dt>Why</dt>
            <dd>{trust.reason}</dd>
          </>
        )}
        <LockFact tool={tool} />
      </dl>
    </section>
  )
}

function Capabilities({ tool, grants }: { tool: Tool; grants: readonly string[] }) {
  return (
    <section>
      <h2>Capabilities</h2>
      <dl class="facts">
        <dt>Needs</dt>
        <dd class="row wrap">
          {tool.requires === null && <span class="muted">not stated; gets what is granted</span>}
          {tool.requires?.length === 0 && <span class="muted">nothing</span>}
          {tool.requires?.map((need) => (
            <Badge key={need} tone="info">
              {need}
            </Badge>
          ))}
        </dd>
        <dt>Granted</dt>
        <dd class="row wrap">
          {grants.length === 0 && <span class="muted">nothing</span>}
          {grants.map((grant) => (
            <Badge key={grant}>{grant}</Badge>
          ))}
        </dd>
        {tool.secrets && tool.secrets.length > 0 && (
          <>
            <dt>Secrets</dt>
            <dd>{tool.secrets.join(', ')}</dd>
          </>
        )}
      </dl>
    </section>
  )
}

function ProfileFacts({ profile }: { profile: Profile }) {
  const { network } = profile
  return (
    <section>
      <h2>Profile</h2>
      <dl class="facts">
        <dt>Network</dt>
        <dd>
          {network.mode === 'none' ? 'none' : network.mode === 'public' ? 'public addresses' : ''}
          {network.mode !== 'none' && network.hosts.length > 0 && ` ${network.hosts.join(', ')}`}
        </dd>
        <dt>Reads</dt>
        <dd>
          <Paths paths={profile.read} none="its own files only" />
        </dd>
        <dt>Writes</dt>
        <dd>
          <Paths paths={profile.write} none="nothing" />
        </dd>
        <dt>Programs</dt>
        <dd>{profile.subprocess ? 'may start programs' : 'none'}</dd>
        <dt>Limits</dt>
        <dd>
          {profile.memoryMb} MB, {profile.processes} processes
          {profile.cpuPercent !== null && `, ${profile.cpuPercent} % of a processor`}
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
      <h2>Origin</h2>
      <dl class="facts">
        <dt>File</dt>
        <dd class="mono">
          {file ? `${withinCrib(file)}${line ? `:${line}` : ''}` : 'made in code'}
          {file && <CopyButton label="path" text={`${file}${line ? `:${line}` : ''}`} />}
        </dd>
        <dt>Model name</dt>
        <dd class="mono">{tool.name}</dd>
        {tool.aliases.length > 0 && (
          <>
            <dt>Aliases</dt>
            <dd class="mono">{tool.aliases.join(', ')}</dd>
          </>
        )}
        {tool.limits.timeoutMs !== undefined && (
          <>
            <dt>Time limit</dt>
            <dd>{duration(tool.limits.timeoutMs)}</dd>
          </>
        )}
        <dt>Tier</dt>
        <dd>{tool.tier}</dd>
        {tool.tags.length > 0 && (
          <>
            <dt>Tags</dt>
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

/** Paths inside the crib are shown from its folder on. */
function withinCrib(path: string): string {
  const root = info.value?.root
  if (!root || !path.startsWith(root)) return path
  return path === root ? '. (the crib)' : path.slice(root.length + 1)
}
