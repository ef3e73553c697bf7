// What a client is told of how to use the crib: the crib's own words, then those of the foreign servers whose texts it is
// offered (U2). A server's words are a stranger's: each stands under its name and is cut, so that none fills the rest.
import type { Expose } from '../../config/config.ts'
import type { ClientCatalog } from './client-catalog.ts'

const maxOfServer = 4_000
const maxOfAll = 16_000

/** What `initialize` and `server/discover` answer; of servers only what is known by then, so that nobody waits. */
export function instructionsFor({ expose, foreign }: ClientCatalog): string {
  let text = own[expose]
  for (const { details } of foreign.instructions) {
    const said = details?.instructions ?? ''
    const part = `\n\nThe server "${details?.server}", whose tools begin with "${details?.server}-", says:\n${cut(said)}`
    if (text.length + part.length > maxOfAll)
      return `${text}\n\nOther servers have instructions too, for which there is no room here.`
    text += part
  }
  return text
}

function cut(text: string): string {
  return text.length > maxOfServer ? `${text.slice(0, maxOfServer)} [cut]` : text
}

const own: { readonly [expose in Expose]: string } = {
  all: 'Tools of a Toolcrib. A failed call carries a code and a hint in _meta["toolcrib/error"].',
  search:
    'This server offers a large catalog of tools. Find one with search_tools, read its parameters with describe_tool, then call it with call_tool.',
  code: 'This server offers a large catalog of tools. Find them with search_tools, read their parameters with describe_tool, then call as many as needed in one go with run_code.',
}
