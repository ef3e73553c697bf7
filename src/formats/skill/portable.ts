// Code skills in portable form.
import { readFileSync } from 'node:fs'
import { equalJson, type Json } from '../../tool/json.ts'
import type { Tool } from '../../tool/tool.ts'
import { adapter, contextLoss } from '../code-adapter.ts'
import {
  type Converted,
  codeOf,
  fileOf,
  inexpressible,
  Losses,
  type Portable,
  type PortableForm,
  portableOf,
} from '../portable.ts'
import { stripModule } from '../strip-module.ts'
import { dashed, examplesFile } from '../write-words.ts'
import { normaliseTags } from './name.ts'

export const portable: PortableForm = { read, write }

function read(tool: Tool): Portable {
  const path = fileOf(tool)
  if (!/\.(js|mjs|ts)$/.test(path)) throw inexpressible(tool.id, 'it is a prompt for a model')
  const isMetadata = (name: string) => name === 'frontmatter'
  return portableOf(
    tool,
    stripModule({ id: tool.id, path, text: readFileSync(path, 'utf8'), isMetadata }, 'skill'),
  )
}

function write(tool: Portable): Converted {
  const body = codeOf(tool, 'skill')
  const name = dashed(tool.id)
  const losses = new Losses()
  losses.id(tool.id, name)
  losses.add(
    'requires',
    tool.requires !== null,
    'A code skill declares no capabilities; it runs inside Toolcrib, without a fence.',
  )
  losses.add(
    'tags',
    !equalJson(normaliseTags(tool.tags as Json), tool.tags),
    'Tags of skills are lower case with hyphens, and are written so.',
  )
  losses.add(
    'timeout',
    tool.timeoutMs !== undefined,
    'The time limit of skills is skills.timeoutMs in toolcrib.yaml.',
  )
  contextLoss(losses, body, 'skill')
  const ending = body.language === 'typescript' ? 'ts' : 'js'
  const frontmatter = {
    name,
    description: tool.description,
    metadata: {
      version: tool.version,
      params: tool.params ?? { type: 'object' },
      returns: tool.returns ?? undefined,
      tags: tool.tags.length > 0 ? tool.tags : undefined,
    },
  }
  return {
    files: {
      [`skills/${name}.skill.${ending}`]: `export const frontmatter = ${JSON.stringify(frontmatter, null, 2)}\n\n${body.source}\n${adapter(body, 'skill')}`,
      ...examplesFile(`skills/${name}.skill.examples.yaml`, name, tool.examples, false),
    },
    lost: losses.list,
  }
}
