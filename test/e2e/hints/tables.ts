// The tables whose keys are hints of the source, as their tests follow them.
import { commandCalls, denoCalls, libraryCalls, ryeCalls, skillCalls } from './calls.ts'
import { usage, ways } from './commands.ts'
import { buses, stores } from './databases.ts'
import {
  otherDefinitions,
  ryeDefinitions,
  skillDefinitions,
  toolCodeDefinitions,
  toolsJsonDefinitions,
} from './definitions.ts'
import { callersFound, filesFound, settingsFound } from './found.ts'
import { http } from './http.ts'
import { late } from './late.ts'
import { machine } from './machine.ts'
import { misbehaving, narrowed, serving } from './more.ts'
import { parts } from './parts.ts'
import { callers, chains, crumbFiles, held, places, vouching, workers } from './rest.ts'
import { mcpServers, services } from './servers.ts'
import { logins, models } from './upstream.ts'

export const tables: readonly { readonly [hint: string]: unknown }[] = [
  ryeDefinitions,
  toolCodeDefinitions,
  toolsJsonDefinitions,
  skillDefinitions,
  otherDefinitions,
  ryeCalls,
  commandCalls,
  denoCalls,
  skillCalls,
  libraryCalls,
  usage,
  ways,
  http,
  parts,
  mcpServers,
  services,
  models,
  logins,
  narrowed,
  serving,
  misbehaving,
  late,
  settingsFound,
  filesFound,
  callersFound,
  machine,
  stores,
  buses,
  crumbFiles,
  vouching,
  callers,
  chains,
  workers,
  places,
  held,
]
