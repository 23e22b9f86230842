// Stage 0: who is calling? Never throws: a caller that cannot be resolved proceeds as a bare DID and usually fails at stage 4. There it is
// refused where it has no document, and told to retry where its document could not be looked up.
import { unresolved } from '@svc/contract/identity/identity'
import type { Call, Identified } from '../call.ts'
import { recordEvent } from '../handler/events.ts'
import type { Resolution } from '../known.ts'
import type { Ports } from '../ports.ts'

/** A cached identity is returned without waiting: this runs before every call. */
export function resolveIdentity(call: Call, ports: Ports): Identified | Promise<Identified> {
  call.stage = 0
  const { identity, credential, gateway } = call.asked
  if (identity) {
    const warnings = gateway?.warnings ?? []
    return learn(call, ports, { outcome: warnings.length > 0 ? 'Partial' : 'Resolved', identity, warnings })
  }
  try {
    const resolution = ports.identity.resolve(credential.did)
    if (!(resolution instanceof Promise)) return learn(call, ports, resolution)
    return resolution.then(
      (resolved) => learn(call, ports, resolved),
      (error) => learn(call, ports, afterFailure(call, ports, error)),
    )
  } catch (error) {
    return learn(call, ports, afterFailure(call, ports, error))
  }
}

function learn(call: Call, ports: Ports, resolution: Resolution): Identified {
  const { did } = call.asked.credential
  if (resolution.outcome === 'Failed') return Object.assign(call, { caller: unresolved(did) })
  if (resolution.outcome === 'Unavailable')
    return Object.assign(call, { caller: unresolved(did), unknown_of_caller: resolution.unknown })
  const identified = Object.assign(call, { caller: resolution.identity })
  if (resolution.outcome === 'Partial') {
    recordEvent(identified, ports, 'LineageUnverified', { warnings: resolution.warnings })
  }
  return identified
}

function afterFailure(call: Call, ports: Ports, error: unknown): Resolution {
  ports.log.warn(
    { err: error, did: call.asked.credential.did },
    'identity resolver raised; nothing is known of the caller',
  )
  return { outcome: 'Unavailable', reason: 'resolver raised', unknown: 'revocation' }
}
