// Reading the resources that a program which embeds Toolcrib offers.
import { type ReadResourceResult, UriTemplate } from '@modelcontextprotocol/server'
import type { McpExtras } from './extras.ts'

/** What is behind a URI of the extras; undefined when they have none of it. */
export function readExtra(
  { resources = [], templates = [] }: McpExtras,
  uri: string,
): ReadResourceResult | Promise<ReadResourceResult> | undefined {
  const resource = resources.find((each) => each.uri === uri)
  if (resource) return resource.read()
  for (const template of templates) {
    const variables = new UriTemplate(template.uriTemplate).match(uri)
    if (variables) return template.read(uri, variables)
  }
  return undefined
}
