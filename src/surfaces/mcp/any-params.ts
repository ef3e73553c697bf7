// Parameters of methods that the SDK does not know: an object, looked at by whoever answers.
import type { StandardSchemaV1 } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../tool/json.ts'

export const anyParams: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'toolcrib',
    validate: (value) => ({ value: (isPlainObject(value) ? value : {}) as JsonObject }),
  },
}
