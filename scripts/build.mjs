// Builds what is published into dist/. Through the library of tsdown, whose program greets every Node 20 user
// with a notice about its own future.
import { build } from 'tsdown'

await build({ logLevel: 'warn' })
