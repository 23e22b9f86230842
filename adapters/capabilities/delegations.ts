// Delegations to an identity that still count: read from the Aegis node, and believed only with proof.

import type { AgentCapability } from '@svc/contract/authority/capability'
import {
  chainTo,
  type DelegationLink,
  faultIn,
  forgeryIn,
  hasId,
  type StoredHoldings,
  type Worth,
  worthOf,
} from '@svc/contract/authority/delegation-chain'
import { readAnswer } from '@svc/contract/authority/received-delegations'
import { parseDid } from '@svc/contract/identity/did'
import type { DelegationPath } from '@svc/contract/needs/access'
import { unavailable } from '@svc/contract/refusal'
import { type Recent, recent } from '@svc/engine/limits/recent'
import type { Clock, IdentityResolver, Log } from '@svc/engine/ports'
import { within } from '../clock/within.ts'
import type { ExternalClient } from '../endpoint/external-client.ts'
import { node_wait_ms_max, nodeWatch } from '../endpoint/node-watch.ts'
import type { GrantSource, Grants } from './effective.ts'

const cached_ms = 60_000
const identities_cached_max = 10_000
const proofs_cached_max = 20_000
/** Verifying a signature takes a third of a millisecond: other calls get their turn in between. */
const proofs_in_a_row_max = 16
const delegators_at_once_max = 8

const nothing: Grants = { held: [], excluded: [] }
/** Not the same as none: what these could have granted is neither granted nor denied. */
const cannot_ask: Grants = { ...nothing, unknown: 'delegations' }

export interface DelegationOptions {
  /** Undefined if no Aegis node is bound: then nothing is delegated. */
  readonly client: ExternalClient | undefined
  readonly clock: Clock
  readonly log: Log
  readonly identity: IdentityResolver
  /** The capabilities of all live keys of an identity. */
  keysOf(did: string, tenant_id: string): Promise<readonly AgentCapability[]>
}

export interface DelegationSource extends GrantSource {
  /** The node for Aegis: changes through it count here with the next call, before any notification. */
  readonly client: ExternalClient | undefined
  /** A delegation or a delegator has changed: everything is read again. */
  forgetAll(): void
}

interface Cached {
  readonly grants: Grants
  readonly tenant_id: string
  readonly until_ms: number
}

export function delegationSource(options: DelegationOptions): DelegationSource {
  const { client, clock, log } = options
  if (!client) return { client, grantsTo: () => nothing, forgetAll() {} }
  const proofs = recent<string>(proofs_cached_max)
  let cache = recent<Cached>(identities_cached_max)
  let loading = new Map<string, Promise<Grants>>()
  const node = nodeWatch('Aegis', log)
  const load = (did: string, tenant_id: string): Promise<Grants> => {
    // A read that began before a change is neither cached nor used for later requests.
    const [own_cache, own_loading] = [cache, loading]
    const until_ms = clock.monotonic_ms() + cached_ms
    const asking = node.ask(() => findHoldings(client, clock, did, tenant_id))
    const finding = asking.then(async (holdings) => {
      const grants = await findGrants(options, holdings, proofs, did, tenant_id)
      if (!grants.unknown) own_cache.set(did, { grants, tenant_id, until_ms })
      return grants
    })
    const done = () => own_loading.delete(did)
    finding.then(done, done)
    const answer = within(node_wait_ms_max, finding).catch((error) => {
      log.debug({ err: error, did }, 'delegations to an identity could not be read')
      return cannot_ask
    })
    own_loading.set(did, answer)
    return answer
  }
  const forgetAll = () => {
    cache = recent<Cached>(identities_cached_max)
    loading = new Map()
  }
  return {
    client: announcing(client, forgetAll),
    forgetAll,
    async pathsTo(did, tenant_id) {
      if (parseDid(did)?.namespace !== tenant_id) return []
      try {
        const holdings = await within(node_wait_ms_max, findHoldings(client, clock, did, tenant_id))
        const { judged, is_whole } = await judgeChains(options, holdings, proofs, did, tenant_id)
        if (is_whole) return judged.map(pathOf)
      } catch (error) {
        throw unavailable('delegations', error)
      }
      throw unavailable('identity')
    },
    grantsTo({ did }, tenant_id) {
      const cached = cache.get(did)
      if (cached && cached.until_ms > clock.monotonic_ms())
        return cached.tenant_id === tenant_id ? cached.grants : nothing
      // Between tenants there are treaties, not delegations.
      if (parseDid(did)?.namespace !== tenant_id) return nothing
      if (node.is_away && node.is_asked) return cannot_ask
      return loading.get(did) ?? load(did, tenant_id)
    },
  }
}

const changing_operations: readonly string[] = ['delegate', 'revoke', 'set_policy']

function announcing(client: ExternalClient, changed: () => void): ExternalClient {
  return {
    ...client,
    async invoke(operation, ...rest) {
      try {
        return await client.invoke(operation, ...rest)
      } finally {
        // Also without an answer: the node may have done it.
        if (changing_operations.includes(operation)) changed()
      }
    },
  }
}

async function findHoldings(
  client: ExternalClient,
  clock: Clock,
  did: string,
  tenant_id: string,
): Promise<StoredHoldings> {
  const context = {
    correlation_id: clock.uuid(),
    tenant_id,
    agent_did: did,
    timestamp: new Date(clock.now_ms()).toISOString(),
    metadata: {},
  }
  const answer = await client.invoke('held', { did }, context)
  const holdings = readAnswer('held', answer)
  if (!holdings) throw new TypeError('the Aegis node answered in another shape')
  return holdings
}

async function findGrants(...judging: Parameters<typeof judgeChains>): Promise<Grants> {
  const [, holdings] = judging
  if (holdings.tokens.length === 0) return nothing
  const { judged, is_whole } = await judgeChains(...judging)
  return {
    held: judged.flatMap(({ chain, held }) => {
      const source_ref = chain.at(-1)!.token_id
      return held.map((delegated) => ({ ...delegated, source: 'delegation' as const, source_ref }))
    }),
    excluded: judged.flatMap(({ excluded }) => excluded),
    ...(!is_whole && { unknown: 'identity' }),
  }
}

interface JudgedChain extends Worth {
  readonly chain: readonly DelegationLink[]
  readonly is_revoked: boolean
}

function pathOf({ chain, excluded, is_revoked }: JudgedChain): DelegationPath {
  return {
    chain: chain.map(({ token_id, token, state }) => ({
      token_id,
      from_did: token.from_did,
      to_did: token.to_did,
      state,
      expires_at: token.expires_at,
    })),
    excluded: excluded.map(({ name, why }) => ({
      name,
      why: why === 'revoked' && !is_revoked ? 'source_lost' : why,
    })),
  }
}

/** What each sound chain is worth; not whole where a delegator could not be looked up. */
async function judgeChains(
  options: DelegationOptions,
  holdings: StoredHoldings,
  proofs: Recent<string>,
  did: string,
  tenant_id: string,
): Promise<{ readonly judged: readonly JudgedChain[]; readonly is_whole: boolean }> {
  const { clock, log } = options
  const now = new Date(clock.now_ms()).toISOString()
  const links = new Map(holdings.links.map((link) => [link.token_id, link]))
  const chains = holdings.tokens.map((token_id) => chainTo(token_id, links) ?? [])
  const genuine = await genuineLinks(holdings.links, proofs)
  const sound = chains.filter((chain) => {
    const last = chain.at(-1)
    const fault =
      faultIn(chain) ?? (chain.every((link) => genuine.has(link)) ? undefined : 'a link is forged')
    const is_theirs = last?.token.to_did === did && parseDid(last.token.from_did)?.namespace === tenant_id
    if (fault)
      log.warn({ did, token_id: last?.token_id, fault }, 'the Aegis node returned an invalid delegation')
    return fault === undefined && is_theirs
  })
  const delegators = await findDelegators(options, sound, tenant_id)
  const isUnknown = (chain: readonly DelegationLink[]) =>
    chain.some(({ token }) => delegators.get(token.from_did) === 'unknown')
  const certain = sound.filter((chain) => !isUnknown(chain))
  const delegator = (did: string) => delegators.get(did) as Delegator | undefined
  const isRevoked = (did: string) => delegator(did)?.revoked ?? true
  const judged = certain.map((chain) => {
    const own = delegator(chain[0]!.token.from_did)?.own ?? []
    const worth = worthOf(chain, { now, own, policies: holdings.policies, isRevoked })
    const is_revoked = chain.some(
      ({ state, token }) => state === 'REVOKED' || state === 'PARENT_REVOKED' || isRevoked(token.from_did),
    )
    return { ...worth, chain, is_revoked }
  })
  return { judged, is_whole: certain.length === sound.length }
}

/** The costly part runs once per link: neither its text nor its signature can change under its id. */
async function genuineLinks(
  links: readonly DelegationLink[],
  proofs: Recent<string>,
): Promise<ReadonlySet<DelegationLink>> {
  const genuine = new Set<DelegationLink>()
  let proved = 0
  for (const link of links) {
    const key = `${link.token_id} ${link.public_key}`
    const is_known = proofs.get(key) === link.token.signature && hasId(link.token, link.token_id)
    if (!is_known) {
      proved++
      if (proved % proofs_in_a_row_max === 0) await new Promise(setImmediate)
      if (forgeryIn(link) !== undefined) continue
      proofs.set(key, link.token.signature)
    }
    genuine.add(link)
  }
  return genuine
}

interface Delegator {
  readonly revoked: boolean
  readonly own: readonly AgentCapability[]
}

/** Which delegators may still delegate, and the own capabilities of the first ones. */
async function findDelegators(
  { identity, keysOf }: DelegationOptions,
  chains: readonly (readonly DelegationLink[])[],
  tenant_id: string,
): Promise<ReadonlyMap<string, Delegator | 'unknown'>> {
  const first = new Set(chains.map((chain) => chain[0]!.token.from_did))
  const dids = [...new Set(chains.flatMap((chain) => chain.map(({ token }) => token.from_did)))]
  const delegators_by_did = new Map<string, Delegator | 'unknown'>()
  for (let at = 0; at < dids.length; at += delegators_at_once_max) {
    const some = dids.slice(at, at + delegators_at_once_max)
    const delegators = await Promise.all(
      some.map(async (did): Promise<Delegator | 'unknown'> => {
        const resolution = await identity.resolve(did)
        if (resolution.outcome === 'Unavailable') return 'unknown'
        const identity_found = resolution.outcome === 'Failed' ? undefined : resolution.identity
        if (identity_found?.revoked) return { revoked: true, own: [] }
        const carried = first.has(did) ? await keysOf(did, tenant_id) : []
        return { revoked: false, own: [...(identity_found?.capabilities ?? []), ...carried] }
      }),
    )
    for (const [index, delegator] of delegators.entries()) delegators_by_did.set(some[index]!, delegator)
  }
  return delegators_by_did
}
