// Whether a value fits a schema that a stranger wrote, in a thread of its own: the schema may be made to take for ever.
import { computation } from '@svc/contract/computation'
import { Errors } from 'typebox/schema'

const faults_max = 20
const message_length_max = 300

export interface SchemaQuestion {
  readonly schema: Readonly<Record<string, unknown>>
  readonly value: unknown
}

export interface SchemaFault {
  readonly pointer: string
  readonly message: string
}

export const schema_job = computation<SchemaQuestion, SchemaFault[]>(new URL(import.meta.url))

/** Walks the schema, and makes no code of it. */
export function compute({ schema, value }: SchemaQuestion): SchemaFault[] {
  const [fits, errors] = Errors(schema, value)
  if (fits) return []
  return errors.slice(0, faults_max).map(({ instancePath, message }) => ({
    pointer: instancePath,
    message: message.slice(0, message_length_max),
  }))
}
