// Changes of an agent's own key: the texts are checked before they are signed, and keys are stored before they are used.
import { base64Url, openAgentKey } from './agent-key.ts'
import type { CallOptions } from './call-options.ts'
import { badAnswer, fieldsOf, SvcError } from './errors.ts'
import type { ProtocolClients } from './named-operations.ts'
import type { Authorization } from './session.ts'
import type { Settings } from './settings.ts'
import { fromBase64url, toHex } from './verify/bytes.ts'
import { canonicalText } from './verify/canonical.ts'

/** The key in use, and the one that its owner has committed to: two secrets, best stored apart. */
export interface KeyPair {
  readonly privateKey: string
  readonly nextPrivateKey: string
}

/** Who can give an identity a new key, and how many of them it takes. */
export interface Recovery {
  readonly dids: readonly string[]
  readonly threshold: number
}

/**
 * Stores new keys, and is awaited before they are used. Keep the former ones beside them until the change is done:
 * after a crash, one of both pairs opens a session.
 */
export type KeepKeys = (keys: KeyPair) => void | Promise<void>

/** How `rotateKey` changes a key. */
export interface RotateKeyOptions extends Pick<CallOptions, 'signal' | 'timeoutMs'> {
  readonly keep: KeepKeys
  /** The key that was committed to. Without it the agent commits for the first time, and its key stays. */
  readonly nextPrivateKey?: string
  /** Who may recover the identity from now on; default as before, at first its parent. */
  readonly recovery?: Recovery
}

/** What `rotateKey` did. */
export interface RotatedKey extends KeyPair {
  readonly state: 'committed' | 'rotated'
}

/** Which identity gets a new key, by `recoverKey`. */
export interface RecoverKeyOptions extends Pick<CallOptions, 'signal' | 'timeoutMs'> {
  readonly agentDid: string
  readonly keep: KeepKeys
  /** Who may recover it later; default as before. */
  readonly recovery?: Recovery
}

/** Which recovery is agreed to, by `signRecovery`. */
export interface SignRecoveryOptions extends Pick<CallOptions, 'signal' | 'timeoutMs'> {
  readonly agentDid: string
  /** The new key that is agreed to, as the first recoverer tells it. */
  readonly publicKey: string
  /** As the first recoverer named it; default as before. */
  readonly recovery?: Recovery
}

/** A recovery, done or waiting for others who were named. */
export interface RecoveryState {
  readonly state: 'pending' | 'recovered'
  readonly publicKey: string
  readonly signedBy: readonly string[]
  readonly threshold: number
}

/** What a client does with keys beyond single calls. */
export interface KeyClient {
  /**
   * Changes this client's own key to the one that was committed to, commits to another, and goes on with the new one. The first
   * time it only commits. Needs `privateKey`; for keys that the engine keeps call `macs.rotate_key`.
   */
  rotateKey(options: RotateKeyOptions): Promise<RotatedKey>
  /** Makes new keys for an identity that lost its own, as its parent or one of those it has named. */
  recoverKey(options: RecoverKeyOptions): Promise<RecoveryState & KeyPair>
  /** Agrees to a recovery that another of those named has begun. */
  signRecovery(options: SignRecoveryOptions): Promise<RecoveryState>
}

export interface KeyParts {
  readonly macs: ProtocolClients['macs']
  readonly authorization: Authorization
  readonly settings: Settings
  /** Opens a session with the key that is used now, and fails where it is not the identity's. */
  prove(call: CallOptions): Promise<unknown>
}

export function keyClient(parts: KeyParts): KeyClient {
  return {
    rotateKey: (options) => rotateKey(parts, options),
    recoverKey: (options) => recoverKey(parts, options),
    signRecovery: (options) => signRecovery(parts, options),
  }
}

async function rotateKey(parts: KeyParts, options: RotateKeyOptions): Promise<RotatedKey> {
  const { authorization, macs, settings } = parts
  const { private_key, useKey } = authorization
  if (private_key === undefined || !useKey)
    throw new SvcError({
      code: 'not_configured',
      message:
        'This client has no privateKey to change; call macs.rotate_key for a key that the engine keeps.',
      reason: 'private key',
    })
  const { agent_did } = settings
  const call = callOf(agent_did, options)
  const kind = options.nextPrivateKey === undefined ? 'inception' : 'rotation'
  const { keys, to, change } = await newKeys(options.nextPrivateKey ?? private_key, options.recovery)
  const { at, signing_input, document_signing_input } = await macs.rotate_key(change, call)
  requireEvent(signing_input, { did: agent_did, kind, ...change })
  requireDocument(document_signing_input, agent_did, to.public_key)
  await options.keep(keys)
  const signature = await to.sign(signing_input)
  const document_proof = await to.sign(document_signing_input)
  const send = () => macs.rotate_key({ ...change, at, signature, document_proof }, call)
  if (kind === 'inception') await send()
  else await sendChange(send, parts, keys.privateKey, call)
  return { state: kind === 'inception' ? 'committed' : 'rotated', ...keys }
}

/** The answer may be lost after the key has changed: then only the new one opens a session. */
async function sendChange(
  send: () => Promise<unknown>,
  { authorization, prove }: KeyParts,
  private_key: string,
  call: CallOptions,
): Promise<void> {
  const former = authorization.private_key!
  const refusal: unknown = await send().then(
    () => undefined,
    (error) => error,
  )
  authorization.useKey!(private_key)
  if (refusal === undefined) return
  const is_changed = await prove(call).then(
    () => true,
    () => false,
  )
  if (is_changed) return
  authorization.useKey!(former)
  throw refusal
}

async function recoverKey(parts: KeyParts, options: RecoverKeyOptions): Promise<RecoveryState & KeyPair> {
  const { agentDid: agent_did, keep, recovery } = options
  const call = callOf(agent_did, options)
  const { keys, to, change } = await newKeys(newSeed(), recovery)
  const pending = await parts.macs.recover_key({ agent_did, ...change }, call)
  const { signing_input, document_signing_input } = pending
  requireEvent(signing_input, { did: agent_did, kind: 'recovery', ...change })
  requireDocument(document_signing_input, agent_did, to.public_key)
  await keep(keys)
  const signed = {
    signature: await to.sign(signing_input),
    document_proof: await to.sign(document_signing_input),
    ...(await ownSignature(parts, signing_input)),
  }
  return { ...stateOf(await parts.macs.recover_key({ agent_did, ...change, ...signed }, call)), ...keys }
}

async function signRecovery(parts: KeyParts, options: SignRecoveryOptions): Promise<RecoveryState> {
  const { agentDid: agent_did, publicKey: public_key } = options
  const call = callOf(agent_did, options)
  const change = { public_key, ...termsOf(options.recovery) }
  const pending = await parts.macs.recover_key({ agent_did, ...change }, call)
  // Where the engine keeps the key of whoever agrees, this call has signed.
  if (parts.authorization.private_key === undefined || pending.state === 'recovered') return stateOf(pending)
  requireEvent(pending.signing_input, { did: agent_did, kind: 'recovery', ...change })
  const own = await ownSignature(parts, pending.signing_input)
  return stateOf(await parts.macs.recover_key({ agent_did, ...change, ...own }, call))
}

async function ownSignature({ authorization }: KeyParts, text: string) {
  if (authorization.private_key === undefined) return {}
  const key = await openAgentKey(authorization.private_key)
  return { own_signature: await key.sign(text), own_public_key: key.public_key }
}

async function newKeys(privateKey: string, recovery: Recovery | undefined) {
  const keys: KeyPair = { privateKey, nextPrivateKey: newSeed() }
  const to = await openAgentKey(keys.privateKey)
  const next = await openAgentKey(keys.nextPrivateKey)
  const hash = await crypto.subtle.digest('SHA-256', fromBase64url(next.public_key)!)
  const next_key_hash = toHex(new Uint8Array(hash))
  return { keys, to, change: { public_key: to.public_key, next_key_hash, ...termsOf(recovery) } }
}

function newSeed(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)))
}

function termsOf(recovery: Recovery | undefined) {
  return recovery && { recovery: { dids: [...recovery.dids], threshold: recovery.threshold } }
}

/** Identities are changed in their own organization, whatever the client calls otherwise. */
function callOf(agent_did: string, { signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs, tenantId: agent_did.split(':')[2] }
}

function stateOf(output: {
  readonly state: 'pending' | 'recovered'
  readonly public_key: string
  readonly signed_by: readonly string[]
  readonly threshold: number
}): RecoveryState {
  const { state, public_key, signed_by, threshold } = output
  return { state, publicKey: public_key, signedBy: signed_by, threshold }
}

/** The key signs delegations and treaties too: nobody gets such a signature as one for a change of keys. */
function requireEvent(text: string | undefined, expected: Record<string, unknown>): asserts text is string {
  requireFields(text, 'svc-key-event-v1', expected)
}

function requireDocument(text: string | undefined, id: string, public_key: string): asserts text is string {
  requireFields(text, 'svc-document-v1', { id, public_key, revoked: false })
}

function requireFields(text: string | undefined, domain: string, expected: Record<string, unknown>): void {
  const fields = signedFields(text, domain)
  if (Object.entries(expected).every(([name, value]) => isSame(fields[name], value))) return
  throw badAnswer('What is to be signed is not this change of keys, so nothing was signed; check apiUrl.')
}

function isSame(value: unknown, expected: unknown): boolean {
  return value !== undefined && canonicalText(value) === canonicalText(expected)
}

function signedFields(text: string | undefined, domain: string): Record<string, unknown> {
  if (!text?.startsWith(`${domain}\n`)) return {}
  try {
    return fieldsOf(JSON.parse(text.slice(domain.length + 1))) ?? {}
  } catch {
    return {}
  }
}
