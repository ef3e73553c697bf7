// The shape of a log-in to a foreign server.
import { t } from '../../tool/shape.ts'

export const serverLoginShape = t.object({
  server: t.text(),
  state: t.oneOf(['waiting', 'logged-in', 'logged-out'], {
    description: '`waiting`: somebody has to log in at `url`.',
  }),
  url: t.optional(t.text({ description: 'The page of the identity provider.' })),
  expiresAt: t.optional(t.time({ description: 'When the token ends; it is renewed before.' })),
})
