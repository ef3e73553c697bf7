// Loaded before a TypeScript main script (`node --import`), so that Node can read it.
import { register } from 'node:module'

register('./typescript-hooks.mjs', import.meta.url)
