import { opening } from './catalog-cold.mjs'

export const growth = opening('opening a crib again, from its cache', 'warm')
