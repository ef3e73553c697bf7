// The executor chain as boxes and arrows, from the tool to the primitive.
import type { ToolDescription } from '../../api/types.ts'
import { linkTo } from '../../state/route.ts'

const width = 210
const height = 62
const gap = 44

const tones: Record<string, string> = { trusted: 'ok', untrusted: 'warn', tampered: 'bad', invalid: 'bad' }

export function ChainPicture({ chain }: { chain: ToolDescription['chain'] }) {
  const total = chain.length * width + (chain.length - 1) * gap + 4
  return (
    <svg
      class="graph chain"
      width={total}
      height={height + 4}
      viewBox={`-2 -2 ${total} ${height + 4}`}
      role="group"
      aria-label={`Executor chain: ${chain.map((link) => link.id).join(', run by ')}`}
    >
      {chain.map((link, index) => {
        const x = index * (width + gap)
        return (
          <g key={link.id}>
            {index > 0 && (
              <>
                <path class="edge" d={`M${x - gap} ${height / 2}H${x - 8}`} />
                <path class="arrow" d={`M${x} ${height / 2}l-9 -5v10z`} />
              </>
            )}
            <a
              href={linkTo('tools', link.id)}
              aria-label={`${link.id}, ${link.kind}, ${link.tier}, ${link.trust}`}
            >
              <g class="node" data-tone={tones[link.trust] ?? 'plain'} transform={`translate(${x} 0)`}>
                <rect width={width} height={height} rx="8" />
                <text x="12" y="24" font-weight="650">
                  {shortened(link.id, 28)}
                </text>
                <text x="12" y="45" class="sub">
                  {link.kind} · {link.tier} · {link.trust}
                </text>
              </g>
            </a>
          </g>
        )
      })}
    </svg>
  )
}

/** The end of an id says more than its beginning. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`
}
