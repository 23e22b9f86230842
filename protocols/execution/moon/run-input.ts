// The input of a run must match its manifest's schema, and that schema must be valid.
import { judgeForeign } from '@svc/contract/foreign/foreign-schema'
import { schemaFault } from '@svc/contract/foreign/tool-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Plan } from '../recipes/api.ts'
import type { Manifest } from './manifest.ts'
import { outcome_signal } from './run-beginning.ts'
import { gatesOf, termsOf } from './run-signal.ts'

const signals_max = 64

type Place = Pick<OperationContext<'compute'>, 'compute'>

export async function refuseOddSchema(context: Place, { input_schema }: Manifest): Promise<void> {
  if (!input_schema) return
  const fault = await faultOf(context, input_schema, '/input_schema')
  if (fault === undefined) return
  throw refuse('invalid_payload', `The manifest cannot be run: ${fault}.`, {
    reason: 'input_schema',
    path: '/manifest/input_schema',
  })
}

/** Why nothing can be checked against a schema, with the place; undefined where something can. */
async function faultOf({ compute }: Place, schema: object, at: string): Promise<string | undefined> {
  const fault = schemaFault(schema)
  if (fault !== undefined) return fault.startsWith('/') ? at + fault : `${at} cannot be used: ${fault}`
  const { unusable } = await judgeForeign({ schema: JSON.stringify(schema), value: '{}' }, compute)
  return unusable === undefined ? undefined : `${at} cannot be used: ${unusable}`
}

function oddSignal(at: string, why: string): Refusal {
  return refuse('invalid_payload', `The manifest cannot be run: ${why}.`, {
    reason: 'signal',
    path: `/manifest${at}`,
  })
}

/** Each signal is declared once, in a form that can be checked when it is sent. */
export async function refuseOddSignals(context: Place, plan: Plan): Promise<void> {
  const terms = new Map<string, string>()
  for (const gate of gatesOf(plan)) {
    const { signal, schema, from, on_refusal } = gate.await!
    const odd = (why: string) => oddSignal(`${gate.pointer}/await`, `${gate.pointer}/await ${why}`)
    if (signal === undefined) {
      if (schema || from || on_refusal) throw odd('says what a signal must be, but waits for none')
      continue
    }
    if (signal === outcome_signal)
      throw odd('waits for outcome, which reports unclear calls; choose another name')
    const before = terms.get(signal)
    const own = termsOf(gate)
    if (before !== undefined && before !== own) throw odd(`declares ${signal} unlike another gate`)
    terms.set(signal, own)
    if (terms.size > signals_max) throw odd(`declares one signal more than ${signals_max}`)
    if (!schema || before !== undefined) continue
    const at = `${gate.pointer}/await/schema`
    const fault = await faultOf(context, schema, at)
    if (fault !== undefined) throw oddSignal(at, fault)
  }
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
