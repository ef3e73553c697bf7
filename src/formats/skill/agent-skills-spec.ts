// What the shared Agent Skills standard asks of a folder with SKILL.md, beyond what Toolcrib itself needs: a skill
// that passes can be given to any client that reads the standard.
import { basename, dirname } from 'node:path'
import { isPlainObject } from '../../tool/json.ts'
import type { Problem } from '../../tool/problem.ts'
import { bodyOf, readFrontmatter } from '../frontmatter.ts'

const fields = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']
const nameShape = /^[\p{Ll}\p{Lo}\p{Nd}]+(-[\p{Ll}\p{Lo}\p{Nd}]+)*$/u
const maxBody = 500

/** Where a SKILL.md departs from the standard; empty when it does not. */
export function agentSkillsProblems(file: string, text: string): Problem[] {
  const frontmatter = readFrontmatter(text)
  const { data } = frontmatter
  const problems: Problem[] = []
  const report = (key: string | null, message: string, hint: string, isAdvice = false) =>
    problems.push({
      code: `agentskills-${key === null ? 'file' : fields.includes(key) ? key : 'field'}`,
      severity: isAdvice ? 'warning' : 'error',
      message,
      hint,
      file,
      ...(key !== null && Object.hasOwn(data, key) ? frontmatter.positionOf([key]) : { line: 1 }),
    })
  if (!frontmatter.isPresent) {
    report(null, 'The file has no frontmatter.', 'Begin it with --- and give it a name and a description.')
    return problems
  }
  for (const { message, line, column } of frontmatter.faults)
    problems.push({
      code: 'agentskills-file',
      severity: 'error',
      message: `The frontmatter cannot be read: ${message}.`,
      hint: 'Fix the YAML between the two --- lines.',
      file,
      line,
      column,
    })
  for (const { key, line, column } of frontmatter.repaired)
    problems.push({
      code: 'agentskills-file',
      severity: 'error',
      message: `The value of "${key}" is no YAML.`,
      hint: 'Put the value in quotes.',
      file,
      line,
      column,
    })
  if (problems.length > 0) return problems

  const { name, description, license, compatibility, metadata } = data
  const folder = basename(dirname(file))
  if (typeof name !== 'string') report('name', 'The skill has no name.', `Write \`name: ${folder}\`.`)
  else if (name.length > 64 || !nameShape.test(name.normalize('NFKC')))
    report(
      'name',
      `The name "${name}" is not allowed.`,
      'Use up to 64 lower-case letters, digits and single hyphens.',
    )
  else if (name !== folder)
    report('name', `The skill is named "${name}" and its folder "${folder}".`, 'Give both the same name.')
  const given = typeof description === 'string' ? description.trim() : ''
  if (given === '')
    report('description', 'The skill has no description.', 'Say what it does and when to use it.')
  else if (given.length > 1024)
    report('description', `The description has ${given.length} characters.`, 'Keep it to 1024.')
  if (license !== undefined && typeof license !== 'string')
    report('license', 'license is not a text.', 'Name the licence, or the file that holds it.')
  if (
    compatibility !== undefined &&
    (typeof compatibility !== 'string' || compatibility.length === 0 || compatibility.length > 500)
  )
    report(
      'compatibility',
      'compatibility is not a text of 1 to 500 characters.',
      'Say what the skill needs.',
    )
  if (metadata !== undefined && !isStringMap(metadata))
    report(
      'metadata',
      'metadata is not a map of texts to texts.',
      'Other clients may refuse lists and nested maps; keep them for skills that only Toolcrib runs.',
    )
  if (data['allowed-tools'] !== undefined && typeof data['allowed-tools'] !== 'string')
    report(
      'allowed-tools',
      'allowed-tools is not one text.',
      'Write the tools in one line, with blanks between.',
    )
  for (const key of Object.keys(data).filter((each) => !fields.includes(each)))
    report(key, `"${key}" is not a field of the standard.`, 'Put it under metadata, as a text.')
  const lines = bodyOf(text, frontmatter).split('\n').length
  if (lines > maxBody)
    report(
      null,
      `The text has ${lines} lines; the standard advises at most ${maxBody}.`,
      'Move parts into files of the folder, which a client reads when it needs them.',
      true,
    )
  return problems
}

function isStringMap(value: unknown): boolean {
  return isPlainObject(value) && Object.values(value).every((item) => typeof item === 'string')
}
