// Stage 0: who is this? Never raises: a caller that cannot be resolved goes on as a bare DID and usually fails at stage 4.
import { unresolved } from '@svc/contract/identity'
import type { Call, Identified } from '../call.ts'
import { recordEvent } from '../events.ts'
import type { Ports, Resolution } from '../ports.ts'

export async function resolveIdentity(call: Call, ports: Ports): Promise<Identified> {
  call.stage = 0
  const resolution = await resolveSafely(call, ports)
  if (resolution.outcome === 'Failed')
    return Object.assign(call, { caller: unresolved(call.asked.credential.did) })
  const identified = Object.assign(call, { caller: resolution.identity })
  if (resolution.outcome === 'Partial') {
    recordEvent(identified, ports, 'LineageUnverified', { warnings: resolution.warnings })
  }
  return identified
}

async function resolveSafely(call: Call, ports: Ports): Promise<Resolution> {
  try {
    return await ports.identity.resolve(call.asked.credential)
  } catch (error) {
    ports.log.warn(
      { err: error, did: call.asked.credential.did },
      'identity resolver raised; caller is unresolved',
    )
    return { outcome: 'Failed', reason: 'resolver raised' }
  }
}
