// A program that cannot be started is said before anything is made for its start.
import { accessSync, constants } from 'node:fs'
import { ToolError } from '../tool/tool-error.ts'
import type { SpawnSpec } from './fence.ts'

/** Behind a shell or bubblewrap a missing program would only be an exit code, so it is said beforehand. */
export function mustBeStartable(spec: SpawnSpec): void {
  try {
    accessSync(spec.file, constants.X_OK)
    accessSync(spec.cwd, constants.X_OK)
  } catch (error) {
    throw new ToolError(
      'COMMAND_NOT_FOUND',
      `${spec.file} could not be started: ${(error as Error).message}.`,
      {
        hint: 'Check that the program and its working folder exist and that the program is executable.',
      },
    )
  }
}
