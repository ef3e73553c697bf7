// Hints of settings, files, servers and secrets that were read and found wanting, followed.
import { followTable } from './follow-table.ts'
import { callersFound, filesFound, settingsFound } from './found.ts'

followTable({ ...settingsFound, ...filesFound, ...callersFound })
