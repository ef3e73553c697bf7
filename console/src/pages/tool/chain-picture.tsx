// The executor chain as boxes and arrows, from the tool to the primitive.
import type { ToolDescription } from '../../api/types.ts'
import { Badge } from '../../parts/badge.tsx'
import { TrustBadge } from '../../parts/tool-badges.tsx'
import { linkTo } from '../../state/route.ts'
import { say } from '../../words/say.ts'

export function ChainPicture({ chain }: { chain: ToolDescription['chain'] }) {
  return (
    <ol class="chain" aria-label={say('Executor chain')}>
      {chain.map((link) => (
        <li key={link.id}>
          <a href={linkTo('tools', link.id)} class="mono">
            {link.id}
          </a>
          <span class="row wrap">
            <Badge>{link.kind}</Badge>
            <Badge>{link.tier}</Badge>
            <TrustBadge status={link.trust} />
          </span>
          <code class="muted" title={say('SHA-256 of its file')}>
            {link.digest.slice(0, 12)}
          </code>
        </li>
      ))}
    </ol>
  )
}
