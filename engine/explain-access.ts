// Why an identity may do something. The verdict and the path it names are those of stage 4, which is asked itself.
import { isDeepStrictEqual } from 'node:util'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { dependsOnCall, whyUnsatisfied } from '@svc/contract/authority/caveat'
import { keyWeek } from '@svc/contract/money/budget-counter'
import { microUsd } from '@svc/contract/money/money'
import type {
  AccessExplanation,
  AccessPath,
  AccessQuestion,
  Blocked,
  DelegationPath,
} from '@svc/contract/needs/access'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Admitted, Credential } from './call.ts'
import { crossTenantCallGrants, unsatisfiedCaveat } from './cross-tenant-call.ts'
import { factsFor, inGateOrder, isExpired } from './grant-caveats.ts'
import { isForOneCall, unusedIds } from './one-time-use.ts'
import { callOf, judgeAtGate, resolveCaller, type Who } from './permissions.ts'
import type { Ports } from './ports.ts'
import { shownOperation } from './routing/shown-versions.ts'
import { toPerson } from './to-person.ts'

const names_max = 256

/** Somebody who asks about itself, as it came; another identity calls with any of its live keys. */
export interface Asker extends Who {
  readonly credential: Credential
}

export async function explainAccess(
  ports: Ports,
  question: AccessQuestion,
  tenant_id: string,
  own?: Asker,
): Promise<AccessExplanation> {
  const shown = shownOperation(ports.registry, question.protocol, question.operation, tenant_id)
  if (!shown) throw notServed(question)
  const who = own ?? (await resolveCaller(ports, question.did))
  if (who.unknown_of_caller) throw unavailable('identity')
  const credential = own?.credential ?? (await anyCredential(ports, question.did, tenant_id))
  const books = await ports.treasury.of(tenant_id)
  const arriving = { ...who, credential, books, ...shown, target_tenant: question.target_tenant }
  const call = callOf(ports, arriving, question.at_ms)
  const { grant, refusal: thrown } = await judge({ ...call }, ports)
  const { capability } = shown.operation
  const refusal = thrown && own ? toPerson(thrown, { credential, books, capability }, ports) : thrown
  const candidates = await pathsOf(call, ports)
  const first = candidates.findIndex((path) => grant !== undefined && isSame(path.grant, grant))
  const paths = candidates.map((path, place) => ({
    ...path,
    ...(refusal && !path.blocked && { blocked: blockedBy(refusal) }),
    used: place === first,
  }))
  return {
    identity: who.identity,
    capability: shown.operation.capability,
    allowed: refusal === undefined,
    depends_on_call:
      refusal?.details.reads_input === true || (refusal !== undefined && candidates.some(waitsForCall)),
    ...(refusal && {
      refusal: { code: refusal.code, reason: refusal.details.reason, sentence: refusal.message },
    }),
    ...(await budgetOf(credential, ports, question.at_ms)),
    paths,
    names: await namesIn(paths, ports),
    departments: new Map(books.envelopes.map(({ envelope_id, department }) => [envelope_id, department])),
  }
}

async function budgetOf(
  { key_id, tenant_id, budget }: Credential,
  { budget_counters }: Ports,
  at_ms: number,
): Promise<Pick<AccessExplanation, 'budget'>> {
  if (!budget) return {}
  const { spent_micro_usd } = await budget_counters.state(tenant_id, keyWeek(key_id, at_ms))
  return { budget: { limit_micro_usd: microUsd(budget.weekly_usd) ?? 0n, spent_micro_usd } }
}

async function anyCredential(ports: Ports, did: string, tenant_id: string): Promise<Credential> {
  const { held } = await ports.capabilities.authorityOf(did, tenant_id)
  const tier = (await ports.tenants.tierOf(tenant_id)) ?? 'sovereign'
  return { key_id: 'any', did, tenant_id, tier, capabilities: held.filter(({ source }) => source === 'key') }
}

async function judge(
  call: Admitted,
  ports: Ports,
): Promise<{ grant?: AccessPath['grant']; refusal?: Refusal }> {
  try {
    return { grant: (await judgeAtGate(call, ports)).grant }
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    // An internal error or an unavailable dependency is not an answer about the caller.
    if (refusal.code === 'internal' || refusal.code === 'unavailable') throw thrown
    return { refusal }
  }
}

/** Without the call itself, its input or where it comes from, nobody can say whether it holds. */
function waitsForCall({ blocked }: Candidate): boolean {
  return blocked?.by === 'input' || (blocked?.caveat !== undefined && dependsOnCall(blocked.caveat))
}

/** Two grants that are alike in everything are the same path. */
function isSame(one: AccessPath['grant'], other: AccessPath['grant']): boolean {
  return isDeepStrictEqual(plain(one), plain(other))
}

function plain({ name, expires_at, limits, caveats, source, source_ref }: AccessPath['grant']) {
  return { name, expires_at, limits, caveats, source, source_ref }
}

type Candidate = Omit<AccessPath, 'used'>

async function pathsOf(call: Admitted, ports: Ports): Promise<Candidate[]> {
  const { credential, request } = call.asked
  if (credential.tenant_id !== request.tenant_id) return await pathsAbroad(call, ports)
  const { held } = await ports.capabilities.effective(call.caller, credential, request.tenant_id)
  const singles = held.filter(isForOneCall)
  if (singles.length > 0) call.unused_ids = await unusedIds(singles, call, ports)
  const delegations = await ports.capabilities.pathsTo(call.caller.did, request.tenant_id)
  const chains = new Map(delegations.map(({ chain }) => [chain.at(-1)!.token_id, chain]))
  const live = await Promise.all(
    inGateOrder(call, held).map(async (grant) => {
      const chain = grant.source === 'delegation' ? chains.get(grant.source_ref!) : undefined
      return { grant: plain(grant), ...(chain && { chain }), ...(await blockedAt(grant, call, ports)) }
    }),
  )
  return [...openPath(call), ...live, ...delegations.flatMap((path) => endedPaths(path, call))]
}

/** Operations that need no capability, so that an unresolved caller can become a resolved one. */
function openPath({ operation, caller }: Admitted): Candidate[] {
  const { open_to } = operation.facts
  if (open_to === undefined || caller.revoked) return []
  const grant = { name: operation.capability, caveats: [], source: 'open' as const }
  if (open_to === 'anyone') return [{ grant }]
  const sentence = 'Without a capability it may only be called about oneself'
  return [{ grant, blocked: { by: 'input', sentence } }]
}

async function blockedAt(
  grant: HeldCapability,
  call: Admitted,
  ports: Ports,
): Promise<Pick<Candidate, 'blocked'>> {
  if (isExpired(grant, call.now_ms))
    return { blocked: { by: 'expired', sentence: `It ended at ${grant.expires_at}` } }
  if (grant.caveats.length === 0) return {}
  // Consent can be asked for, so it does not block.
  const facts = { ...(await factsFor(grant, call, ports)), approval_follows: true }
  const caveat = unsatisfiedCaveat(grant, facts)
  if (caveat === undefined) return {}
  const sentence = `Only under the caveat ${caveat}, and ${whyUnsatisfied(caveat, facts)}`
  return { blocked: { by: 'caveat', caveat, sentence } }
}

const why_ended = {
  revoked: 'The delegation, one above it or a delegator was revoked',
  expired: 'The delegation or one above it has ended',
  over_depth: 'It was delegated further than a delegator allows',
  source_lost: 'A delegator above no longer holds it, or its rules forbid it',
} as const

function endedPaths({ chain, excluded }: DelegationPath, { operation }: Admitted): Candidate[] {
  const { token_id, expires_at } = chain.at(-1)!
  return excluded
    .filter(({ name }) => operation.granted_by.includes(name))
    .map(({ name, why }) => ({
      grant: { name, caveats: [], expires_at, source: 'delegation' as const, source_ref: token_id },
      chain,
      blocked: { by: why, sentence: why_ended[why] },
    }))
}

/** In another organization only treaties count. */
async function pathsAbroad(call: Admitted, ports: Ports): Promise<Candidate[]> {
  const { credential, request } = call.asked
  const { capability } = call.operation
  const [from_tenant, to_tenant] = [credential.tenant_id, request.tenant_id]
  const terms = { from_tenant, to_tenant, capability, at_ms: call.now_ms }
  const { grants, reason, treaty } = await crossTenantCallGrants(ports, terms)
  if (reason) {
    if (!treaty) return []
    const grant = { name: capability, caveats: [], source: 'treaty' as const, source_ref: treaty.id }
    return [{ grant, blocked: { by: 'treaty', sentence: `The treaty does not allow it now: ${reason}` } }]
  }
  return await Promise.all(
    grants.map(async (grant) => ({ grant: plain(grant), ...(await blockedAt(grant, call, ports)) })),
  )
}

/** Nothing is wrong with the path itself: what refuses the call refuses it whatever grants it. */
function blockedBy({ message, details }: Refusal): Blocked {
  const is_level = String(details.denying_policy ?? '').startsWith('conformance ')
  return { by: is_level ? 'level' : 'policy', sentence: message.replace(/\.$/, '') }
}

async function namesIn(paths: readonly AccessPath[], { identity }: Ports): Promise<Map<string, string>> {
  const members = paths.flatMap(({ chain = [] }) =>
    chain.flatMap(({ from_did, to_did }) => [from_did, to_did]),
  )
  const names = new Map<string, string>()
  for (const did of [...new Set(members)].slice(0, names_max)) {
    const resolution = await identity.resolve(did)
    const name = 'identity' in resolution ? resolution.identity.name : undefined
    if (name !== undefined) names.set(did, name)
  }
  return names
}

function notServed({ protocol, operation }: AccessQuestion): Refusal {
  return refuse('invalid_payload', `${protocol} ${operation} is not served here; check the names.`, {
    reason: 'not_found',
  })
}
