// The input of a run must match its manifest's schema, and that schema must be valid.
import { judgeForeign } from '@svc/contract/foreign/foreign-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Manifest } from './manifest.ts'

type Place = Pick<OperationContext<'compute'>, 'compute'>

export async function refuseOddSchema(context: Place, { input_schema }: Manifest): Promise<void> {
  if (!input_schema) return
  const { unusable } = await judgeForeign(
    { schema: JSON.stringify(input_schema), value: '{}' },
    context.compute,
  )
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
  const { faults, unusable } = await judgeForeign(
    { schema: JSON.stringify(input_schema), value: JSON.stringify(input) },
    context.compute,
  )
  const [first] = faults
  if (!first && unusable === undefined) return
  const why = first ? `/input${first.pointer} ${first.message}` : `its schema cannot be used: ${unusable}`
  throw refuse('invalid_payload', `The input does not fit what ${name} takes: ${why}.`, {
    reason: 'input_schema',
    faults,
  })
}
