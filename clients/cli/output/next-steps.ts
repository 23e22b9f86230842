// What to do after a refusal, beyond its message. A test checks that every command and operation named here exists.
import type { ErrorCode, SvcError } from '@svc/sdk/errors'

const by_code: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_configured: 'svc login signs you in; svc doctor checks every setting.',
  unauthenticated: 'svc login signs you in again; svc doctor finds the setting that is wrong.',
  capability_denied: 'svc whoami --operations shows what you may call, and why not the rest.',
  missing_capability: 'svc whoami --operations shows what you may call, and why not the rest.',
  approval_required:
    'svc approvals list --requested shows its state; --wait-for-approval <seconds> waits for it and sends the call again.',
  policy_denied: 'The same call will be refused again; see the reason.',
  timeout: 'Allow more time with --timeout <seconds>, or follow a long operation with --stream.',
  network: 'svc doctor checks the address and the connection.',
  bad_answer: 'svc doctor checks the address and the connection.',
  unknown_protocol: 'svc operations lists all operations.',
  unknown_version: 'Give an installed version with --version, or a major version such as v1.',
  unknown_operation: 'svc operations lists all operations.',
  idempotency_key_reused: 'Use a new --idempotency-key for a new call.',
}

/** The reason says more than the code. */
const by_reason: Readonly<Record<string, string>> = {
  'no active treaty': 'svc describe MOAT propose shows how to propose a treaty to that organization.',
  'capability not granted': 'svc describe MOAT propose_amendment shows how to add it to the treaty.',
  'not in the key': 'svc keys create --capability <name> makes a key that includes it.',
  'key with a budget': 'svc keys create without --weekly-budget makes a key for it.',
  'key revoked': 'svc keys create makes another key; svc login signs you in again.',
  'identity suspended': 'svc describe MACS set_state shows how an ancestor resumes it.',
  'former key':
    'svc config set private_key < file stores the current one, which svc keys rotate was told by --to.',
  'the key was used before': 'svc keys rotate --to <file> names the key that was committed to.',
  'invalid recovery': 'svc keys recover <did> --key <file> --commit <file> makes the new key.',
  'not an administrator': 'svc invoke MACS people lists the people of your organization and their roles.',
  'throttled to zero': 'svc describe MANA throttle shows how the limit is lifted.',
}

export const next_steps: readonly string[] = [...Object.values(by_code), ...Object.values(by_reason)]

/** The operation that an error refused, where the user named it. */
const called = new WeakMap<SvcError, string>()

export function noteCalled(error: SvcError, protocol: string, operation: string): void {
  called.set(error, `${protocol} ${operation}`)
}

const capability_form = /^svc\.([a-z]{2,16})\.([a-z0-9_.]+)$/

export function nextStep(error: SvcError): string | undefined {
  const { code, reason, details } = error
  if (reason !== null && Object.hasOwn(by_reason, reason)) return by_reason[reason]
  const [, protocol, operation] = capability_form.exec(String(details.requested_capability)) ?? []
  // What an engine sends is text: only names of the known form are put into a command.
  if (code === 'capability_denied' && protocol !== undefined)
    return `svc explain access me ${protocol.toUpperCase()}.${operation} shows what is missing.`
  const name = called.get(error)
  if (code === 'invalid_payload' && name !== undefined)
    return `svc describe ${name} shows the fields and their limits.`
  return by_code[code]
}
