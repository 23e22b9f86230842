// Part of stage 7: input and answer against their schemas.
import type { Compute } from '@svc/contract/needs/computation'
import { Refusal, refuse } from '@svc/contract/refusal'
import type { Done, Placed, Versioned } from '../call.ts'
import type { Ports } from '../ports.ts'
import type { Fault } from '../routing/routing.ts'

const input_bytes_max_default = 1024 * 1024
const faults_max = 20
/** In a sentence; the others are in the details. */
const faults_named_max = 3

/** Queued for the caller's own tenant, like everything its call computes. */
function computeFor({ asked }: Pick<Placed, 'asked'>, { compute }: Pick<Ports, 'compute'>): Compute {
  return (job, input, deadline_ms) => compute(job, input, deadline_ms, asked.credential)
}

/** Answers of our own modules are checked in development only; those of untrusted code always. */
export function checkOutput(done: Done, ports: Ports, data: unknown): Done | Promise<Done> {
  const { operation, output_text } = done
  if (!operation.facts.foreign && !ports.settings.check_outputs) return done
  const judge = (faults: readonly Fault[]): Done => {
    if (faults.length > 0) throw outsideSchema(done, faults, ports)
    return done
  }
  const faults = operation.outputFaults(data, computeFor(done, ports), output_text)
  if (!(faults instanceof Promise)) return judge(faults)
  return faults
    .catch((error) => {
      throw uncheckable(error, 'answer', done)
    })
    .then(judge)
}

/** Also run by a dry run, so that its verdict is the real call's. */
export function checkInput(call: Versioned, ports: Pick<Ports, 'compute'>): Promise<void> | undefined {
  call.stage = 7
  const { facts, capability } = call.operation
  const bytes_max = facts.input_bytes_max ?? input_bytes_max_default
  if ((call.asked.body_bytes ?? 0) > bytes_max) {
    throw refuse('payload_too_large', `${capability} takes at most ${bytes_max} bytes; send less.`, {
      reason: 'too_large',
    })
  }
  const faults = call.operation.inputFaults(call.asked.request.input, computeFor(call, ports))
  if (!(faults instanceof Promise)) return void requireFit(call, faults)
  return faults
    .catch((error) => {
      throw uncheckable(error, 'input', call)
    })
    .then((new_faults) => requireFit(call, new_faults))
}

function requireFit(call: Versioned, faults: readonly Fault[]): void {
  const [first] = faults
  if (!first) return
  const protocol = call.registered.facts.id.toLowerCase()
  throw refuse(
    'invalid_payload',
    `The input of ${call.operation.capability} does not fit its schema: ${first.pointer || '/'} ${first.message}. ` +
      `See /schemas/${protocol}/v1/operations.${protocol}.${call.operation.name}.request.json.`,
    { reason: 'schema', faults: faults.slice(0, faults_max) },
  )
}

/** A native module that violates its schema is a bug; for untrusted code the caller is told whose. */
function outsideSchema(done: Placed, faults: readonly Fault[], ports: Ports): Error {
  const { operation, endpoint, registered } = done
  const named = faults
    .slice(0, faults_named_max)
    .map(({ pointer, message }) => `${pointer || '/'} ${message}`)
  if (!operation.facts.foreign)
    return new Error(
      `The answer of ${registered.facts.id}.${operation.name} does not fit its output schema: ${named.join('; ')}. ` +
        'Change the handler, or the schema; in production this is not checked.',
    )
  const log_fields = { endpoint: endpoint.id, operation: operation.name, correlation_id: done.correlation_id }
  ports.log.warn(
    { ...log_fields, faults: faults.slice(0, faults_max) },
    'an answer does not fit the schema it declares',
  )
  const whose = `The answer of ${endpoint.id.replace(':', ' ')} to ${operation.name} does not fit the schema it declares`
  const details = { reason: 'answer outside its schema', served_by: endpoint.id }
  if (!isOwner(done, ports))
    return refuse(
      'protocol_error',
      `${whose}. Nothing of the call was kept; tell its author the correlation id of this call: the log of the engine has the place.`,
      details,
    )
  return refuse(
    'protocol_error',
    `${whose}: ${named.join('; ')}. Nothing of the call was kept; change the plugin, or its schema.`,
    { ...details, faults: faults.slice(0, faults_max) },
  )
}

/** Whoever made it or runs the engine. Places in an answer are part of it, and it was not given out. */
function isOwner({ asked, endpoint }: Placed, { settings }: Ports): boolean {
  const { tenant_id } = asked.credential
  return tenant_id === settings.operator_tenant_id || tenant_id === endpoint.owner_tenant_id
}

/** Only an untrusted schema can take this long. */
function uncheckable(error: unknown, what: 'input' | 'answer', { operation }: Versioned): unknown {
  if (!(error instanceof Refusal) || error.code !== 'timeout') return error
  return refuse(
    'timeout',
    `The ${what} of ${operation.capability} could not be checked against its schema in time; ` +
      `use a smaller ${what}, or tell the author of its schema.`,
    { reason: `${what} not checked in time` },
    error,
  )
}
