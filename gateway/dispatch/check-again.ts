// Checks again that a credential is valid, for what goes on after its request was admitted: a proof lasts seconds, so it is not repeated.
import type { Credential } from '@svc/engine/call'
import { goodKey } from './accept-context.ts'
import { identify } from './dispatch-endpoint.ts'
import type { Presented } from './presented.ts'
import type { DispatchEndpoint } from './refusal-recorder.ts'

/** Throws where it is not. */
export function checkAgain(
  dispatch_endpoint: DispatchEndpoint,
  { key_id }: Credential,
  presented: Presented,
): Credential | Promise<Credential> {
  // People who signed in.
  if (key_id.includes(':')) return identify(dispatch_endpoint, presented, false)
  const { keys, clock } = dispatch_endpoint
  const record = keys.find(key_id)
  return record instanceof Promise ? record.then((key) => goodKey(key, clock)) : goodKey(record, clock)
}
