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

export interface InputJudgement {
  readonly faults: readonly InputFault[]
  /** Why nothing can be held against this schema at all. */
  readonly unusable?: string
}

const faults_max = 20
const why_chars_max = 200

export function compute({ schema, input }: InputTask): InputJudgement {
  try {
    const check = Compile(schema as TSchema)
    if (check.Check(input)) return { faults: [] }
    const faults = check.Errors(input).slice(0, faults_max)
    return { faults: faults.map(({ instancePath, message }) => ({ pointer: instancePath, message })) }
  } catch (error) {
    return { faults: [], unusable: (error as Error).message.slice(0, why_chars_max) }
  }
}
