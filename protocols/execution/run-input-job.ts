// Holds an input against a schema somebody else wrote: in a thread, for its patterns may take for ever.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export interface InputTask {
  readonly schema: Record<string, unknown>
  readonly input: unknown
}

export interface InputFault {
  readonly pointer: string
  readonly message: string
}

const faults_max = 20

export function compute({ schema, input }: InputTask): InputFault[] {
  const check = Compile(schema as TSchema)
  if (check.Check(input)) return []
  return check
    .Errors(input)
    .slice(0, faults_max)
    .map(({ instancePath, message }) => ({ pointer: instancePath, message }))
}
