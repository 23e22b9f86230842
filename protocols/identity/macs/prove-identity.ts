// MACS verify_response: checks the key and lineage and burns the challenge, in one transaction.
import { type DelegationToken, tokenId } from '@svc/contract/authority/delegation-token'
import { parseDid } from '@svc/contract/identity/did'
import { isRootKind, unresolved } from '@svc/contract/identity/identity'
import { familyPlace, type LineageStatement, type LineageVerdict } from '@svc/contract/identity/lineage'
import type { Authority } from '@svc/contract/needs/authority'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, Refusal, refuse } from '@svc/contract/refusal'
import type { ConformanceLevel } from '@svc/contract/schema'
import { isCurrentKey, lockKeys } from '../keys/api.ts'
import { judgeLineage } from '../oas/api.ts'
import { countsAsFailure, failures_max, responseFault, stateAt, token_minutes } from './challenge.ts'
import { keepLineage, lineageOf } from './lineage-store.ts'
import { type Challenged, countFailure, lockChallenge, passChallenge, revokeSessions } from './macs-store.ts'

export interface ProofGiven {
  readonly challenge_id: string
  readonly agent_did: string
  readonly public_key: string
  readonly signature: string
  readonly lineage?: readonly LineageStatement[]
  readonly delegation?: DelegationToken
}

/** Facts about the agent, read before any row is locked: a slow node must not block other responses. */
interface Known {
  readonly authority: Authority
  readonly verdict: LineageVerdict
  readonly warnings: string[]
  readonly disagrees: boolean
}

export async function proveIdentity(
  proof: ProofGiven,
  context: OperationContext<'authority' | 'keys' | 'lineages'>,
) {
  // If the key does not match the DID, the response fails before these facts are needed.
  const is_current_key = await isCurrentKey(context.db, proof.agent_did, proof.public_key)
  const resolved = is_current_key ? await lookUp(proof, context) : undefined
  const challenged = await lockChallenge(context.db, proof.challenge_id)
  if (!challenged) {
    context.alarm('challenge unknown', { challenge_id: proof.challenge_id, agent_did: proof.agent_did })
    throw notFound('challenge', proof.challenge_id)
  }
  await requireResponse(proof, challenged, is_current_key, context)
  const proven = resolved!
  await requireStanding(proof, challenged, proven, context)
  await requireLineage(proof, challenged, proven, context)
  await requireDelegation(proof, challenged, proven, context)
  await requireAtHome(proof, challenged, context)
  await requireCurrentKey(proof, challenged, context)
  return await accept(proof, challenged, proven, context)
}

async function lookUp(
  proof: ProofGiven,
  context: OperationContext<'authority' | 'lineages'>,
): Promise<Known> {
  const { agent_did, lineage } = proof
  const authority = await context.authority.of(agent_did)
  const warnings =
    authority.identity.auth_method === 'unresolved' ? ['no identity document could be resolved'] : []
  if (lineage?.length || isRootKind(unresolved(agent_did).entity_kind)) {
    const verdict = await judgeLineage(agent_did, lineage ?? [], context)
    return { authority, verdict, warnings, disagrees: false }
  }
  const node_verdict = await askNode(agent_did, context)
  const offline = (await context.lineages.of(agent_did)) ?? (await judgeStored(agent_did, context))
  if (typeof node_verdict === 'string')
    warnings.push(`the identity node could not be reached: ${node_verdict}`)
  const theirs = typeof node_verdict === 'string' ? undefined : node_verdict
  const disagrees =
    theirs !== undefined && (!theirs.agrees || (offline?.verified ?? theirs.verified) !== theirs.verified)
  if (disagrees) warnings.push('the identity node disagrees about the lineage; the local result counts')
  return { authority, verdict: offline ?? theirs ?? unanchored(agent_did), warnings, disagrees }
}

/** Without a document only what was proven here before is known. */
async function judgeStored(
  agent_did: string,
  context: OperationContext<'authority'>,
): Promise<LineageVerdict | undefined> {
  const statements = await lineageOf(context.db, agent_did)
  return statements.length > 0 ? judgeLineage(agent_did, statements, context) : undefined
}

type NodeVerdict = LineageVerdict & { readonly agrees: boolean }

/** The adapter has already validated the shape; only the call itself can fail. */
async function askNode(did: string, context: OperationContext): Promise<NodeVerdict | string> {
  try {
    return (await context.call('OAS', 'verify_lineage', { did })) as NodeVerdict
  } catch (error) {
    if (error instanceof Refusal) return error.details.reason ?? error.code
    throw error
  }
}

function unanchored(did: string): LineageVerdict {
  return { verified: false, depth: 0, chain: [did], broken_at: 0, reason: 'no lineage was given or found' }
}

async function requireResponse(
  proof: ProofGiven,
  challenged: Challenged,
  is_current_key: boolean,
  context: OperationContext,
) {
  const fault = responseFault(challenged.challenge, proof, context.now, is_current_key)
  if (fault && !countsAsFailure(fault)) throw await failed(fault, proof, challenged, context)
  if (!isAnswerable(challenged, context.now)) {
    const state = stateAt(challenged.session, context.now)
    const reason = `session is ${state}; verify_response needs CHALLENGED or VERIFIED`
    throw await failed(reason, proof, challenged, context)
  }
  if (fault) throw await failed(fault, proof, challenged, context)
}

/** A proven session is renewed by another proof. */
function isAnswerable({ session }: Challenged, now: string): boolean {
  const state = stateAt(session, now)
  return state === 'CHALLENGED' || state === 'VERIFIED'
}

async function requireStanding(
  proof: ProofGiven,
  challenged: Challenged,
  { authority }: Known,
  context: OperationContext<'keys'>,
) {
  if (!authority.identity.revoked) return
  if (authority.identity.suspended) throw await failed('identity suspended', proof, challenged, context)
  await revokeSessions(context.db, proof.agent_did)
  await context.keys.endSessions(proof.agent_did)
  throw await failed('identity revoked', proof, challenged, context)
}

/** A chain that was sent must be valid. If one was only looked up, the agent stays at L0. */
async function requireLineage(
  proof: ProofGiven,
  challenged: Challenged,
  { verdict }: Known,
  context: OperationContext,
) {
  if (verdict.verified || !proof.lineage?.length) return
  const reason = `lineage broken at depth ${verdict.broken_at ?? 0}: ${verdict.reason}`
  throw await failed(reason, proof, challenged, context)
}

/** A delegation is in force while the agent's effective capabilities contain it, whatever the token says. */
async function requireDelegation(
  { delegation, ...given }: ProofGiven,
  challenged: Challenged,
  { authority }: Known,
  context: OperationContext,
) {
  if (!delegation) {
    if (challenged.session.profile !== 'DelegatedAuth') return
    throw await failed('delegation required', given, challenged, context)
  }
  const token_id = tokenId(delegation)
  const is_held =
    delegation.to_did === given.agent_did &&
    Date.parse(delegation.expires_at) > Date.parse(context.now) &&
    authority.held.some(({ source, source_ref }) => source === 'delegation' && source_ref === token_id)
  if (!is_held) throw await failed('delegation not in force', given, challenged, context)
}

/** In a session what an identity declares counts as its own, so that only its own organization may open one. */
async function requireAtHome(proof: ProofGiven, challenged: Challenged, context: OperationContext) {
  if (parseDid(proof.agent_did)?.namespace === context.tenant_id) return
  throw await failed('identity of another organization', proof, challenged, context)
}

/** The last word, under the lock of every change: the key may have been changed, or the change learned, since it was looked up. */
async function requireCurrentKey(proof: ProofGiven, challenged: Challenged, context: OperationContext) {
  await lockKeys(context.db, proof.agent_did)
  if (await isCurrentKey(context.db, proof.agent_did, proof.public_key)) return
  throw await failed('public key does not match DID', proof, challenged, context)
}

const advice: Readonly<Record<string, string>> = {
  'challenge expired': 'request a new one with MACS generate_challenge',
  'challenge already used': 'request a new one with MACS generate_challenge',
  'public key does not match DID':
    'send the current key of the challenged DID: its first, or the one it was last changed to',
  'signature invalid': 'sign the challenge’s signing_input, byte for byte, with the key of the DID',
  'identity suspended': 'ask its parent to resume it',
  'identity revoked': 'it can no longer be proven; use another identity',
  'delegation required': 'a DelegatedAuth session needs the DelegationToken as well',
  'identity of another organization': 'prove it to its own organization; a treaty lets it call others',
  'delegation not in force': 'send a token that was delegated to this DID and is still valid',
}

/** Every failure raises an alarm. Counted failures are committed although the call is refused. */
async function failed(
  reason: string,
  { challenge_id, agent_did }: Pick<ProofGiven, 'challenge_id' | 'agent_did'>,
  challenged: Challenged,
  context: OperationContext,
): Promise<Refusal> {
  const attempts_left =
    countsAsFailure(reason) && isAnswerable(challenged, context.now)
      ? await countFailure(context.db, challenged)
      : undefined
  context.alarm(reason, { challenge_id, agent_did, attempts_left })
  const next = advice[reason] ?? 'correct the response, or negotiate a new session'
  const left = attempts_left === undefined ? '' : ` (${attempts_left} of ${failures_max} tries left)`
  const sentence = `The response to challenge ${challenge_id} does not prove ${agent_did}: ${reason}; ${next}${left}.`
  return context.keepingRows(refuse('policy_denied', sentence, { reason, attempts_left }))
}

async function accept(
  proof: ProofGiven,
  challenged: Challenged,
  resolved: Known,
  context: OperationContext<'keys'>,
) {
  const { agent_did, challenge_id, lineage } = proof
  const { verdict, warnings, authority } = resolved
  const level = levelOf(resolved)
  const { session_id, profile } = challenged.session
  const token_expires_at = new Date(Date.parse(context.now) + token_minutes * 60_000)
  await passChallenge(context.db, challenged, token_expires_at)
  const { key_id, api_key: session_token } = await context.keys.issue({
    did: agent_did,
    label: `session ${session_id}`,
    expires_at: token_expires_at.toISOString(),
    proof_key: proof.public_key,
    delegation_id: profile === 'DelegatedAuth' ? tokenId(proof.delegation!) : undefined,
  })
  if (verdict.verified && lineage?.length) await keepLineage(context.db, context.tenant_id, lineage)
  if (!verdict.verified) warnings.push(`lineage not verified: ${verdict.reason}`)
  if (!verdict.verified || resolved.disagrees) context.audit('LineageUnverified', { agent_did, warnings })
  context.audit('IdentityVerified', {
    agent_did,
    challenge_id,
    session_id,
    key_id,
    conformance_level: level,
    lineage_depth: verdict.depth,
    lineage_verified: verdict.verified,
  })
  const { entity_kind } = authority.identity
  return {
    verified: true as const,
    did: agent_did,
    entity_kind,
    ...familyPlace(authority.identity, verdict),
    conformance_level: level,
    session_id,
    key_id,
    session_token,
    token_expires_at: token_expires_at.toISOString(),
    warnings,
  }
}

/** L2 comes from signed sections of a document, so an identity without a document cannot have it. */
function levelOf({ verdict, authority: { identity } }: Known): ConformanceLevel {
  if (!verdict.verified) return 'L0'
  return identity.auth_method === 'did' && identity.conformance_level === 'L2' ? 'L2' : 'L1'
}
