// What a run is started with must fit what its manifest says; what the manifest says must be a schema.
import { computation } from '@svc/contract/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Manifest } from './manifest.ts'
import type { InputJudgement, InputTask } from './run-input-job.ts'

/** A thread that is started for it on a busy machine has its modules to load first. */
const check_ms_max = 5_000
const check_input = computation<InputTask, InputJudgement>(new URL('./run-input-job.ts', import.meta.url))

type Place = Pick<OperationContext, 'compute'>

export async function refuseOddSchema(context: Place, { input_schema }: Manifest): Promise<void> {
  if (!input_schema) return
  const { unusable } = await context.compute(check_input, { schema: input_schema, input: {} }, check_ms_max)
  if (unusable === undefined) return
  throw refuse('invalid_payload', `The manifest cannot be run: /input_schema is no schema: ${unusable}.`, {
    reason: 'input_schema',
    path: '/manifest/input_schema',
  })
}

export async function refuseOddInput(
  context: Place,
  { name, input_schema }: Manifest,
  input: unknown,
): Promise<void> {
  if (!input_schema) return
  const { faults, unusable } = await context.compute(
    check_input,
    { schema: input_schema, input },
    check_ms_max,
  )
  const [first] = faults
  if (!first && unusable === undefined) return
  const why = first ? `/input${first.pointer} ${first.message}` : `its schema cannot be used: ${unusable}`
  throw refuse('invalid_payload', `The input does not fit what ${name} takes: ${why}.`, {
    reason: 'input_schema',
    faults,
  })
}
