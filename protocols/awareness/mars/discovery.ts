// Finds agents for a capability: all visible ones that cover it, ranked, with what is needed to call them.
import { covers } from '@svc/contract/authority/capability'
import { AgentEntityKind, type AgentServiceEndpoint, meetsLevel } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  CapabilityName,
  Closed,
  ConformanceLevel,
  Did,
  described,
  Hash,
  ListOf,
  TenantId,
  Text,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type EntryHealth, type FoundEntry, findCandidates } from '../registry/api.ts'
import { type AskCallable, type Callable, callableBy } from './callable.ts'
import { type Measured, rankCandidates, type Scored } from './discovery-score.ts'

/** Each for the own tenant and for all others; a narrower query finds more. */
const candidates_max = 500
/** How many identities are checked, in order of rank, to find enough valid ones. */
const identities_asked_max = 200
const matches_asked_max = 8

const Bps = Type.Integer({ minimum: 0, maximum: 10_000 })
const Price = Closed({
  asset_id: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{1,63}$', description: 'Asset the price is in.' }),
  amount: Type.String({ pattern: '^(0|[1-9][0-9]{0,30})$', description: 'In minor units of the asset.' }),
})

export const DiscoveryInput = Closed({
  capability: Type.Optional(described(CapabilityName, 'Capability that the agent must offer.')),
  need: Type.Optional(Text(500, { description: 'What is to be done, in words.' })),
  min_level: Type.Optional(
    described(ConformanceLevel, 'Only agents whose identity is verified at least this far. Default L0.'),
  ),
  include_foreign: Type.Optional(
    Type.Boolean({ default: true, description: 'Also search agents of other tenants.' }),
  ),
  kind: Type.Optional(described(AgentEntityKind, 'Only identities of this kind.')),
  max_price: Type.Optional(
    described(Price, 'Only agents at or below this price are callable; no agent publishes prices yet.'),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'The most candidates to return.' }),
  ),
})

const Candidate = Closed({
  did: described(Did, 'The agent.'),
  tenant: described(TenantId, 'Organization of the agent.'),
  entry: described(Hash, 'Its entry in the registry.'),
  endpoints: described(
    ListOf(
      Closed({
        kind: Type.String({ description: 'Type of endpoint as the agent registered it.' }),
        url: Type.String({ description: 'Address of the endpoint.' }),
        protocols: described(ListOf(Type.String()), 'Protocols spoken there.'),
        healthy: Type.Union([Type.Boolean(), Type.Null()], { description: 'Null if it was not probed yet.' }),
        latency_p50_ms: Type.Optional(
          Type.Integer({ description: 'Median answer time of the probes; absent until measured.' }),
        ),
      }),
      0,
      16,
    ),
    'Where it can be reached, healthy ones first.',
  ),
  capability_match: Type.Optional(
    described(CapabilityName, 'Its capability that fits; absent where only words fit.'),
  ),
  callable_now: Type.Boolean({ description: 'Whether a call of yours would be allowed now.' }),
  why_not: Type.Optional(Type.String({ description: 'What prevents a call, e.g. no active treaty.' })),
  price: Type.Optional(described(Price, 'Price of a call; absent where none is published.')),
  score: described(Bps, 'Rank, 0 to 10000: 40 % health, 30 % merit, 20 % latency, 10 % text.'),
  score_parts: Closed(
    {
      health: described(Bps, 'Mean health of the probed endpoints.'),
      merit: described(Bps, 'Reputation.'),
      latency: described(Bps, 'Rank by median answer time among the candidates; the fastest has 10000.'),
      text: described(Bps, 'How well its words match the need.'),
    },
    { description: 'What the score is made of, each 0 to 10000; 5000 where nothing is known.' },
  ),
})
type Candidate = Static<typeof Candidate>

export const DiscoveryOutput = Closed({
  candidates: described(ListOf(Candidate, 0, 50), 'Agents that fit, best first.'),
})

type Question = Static<typeof DiscoveryInput>

interface Measurable extends Measured {
  readonly found: FoundEntry
}

export async function discover(
  question: Question,
  context: OperationContext<'authority' | 'telemetry'>,
): Promise<Candidate[]> {
  requireQuestion(question)
  const entries = await findCandidates(context, filterOf(question, context.now), candidates_max)
  const fitting = entries.filter(({ body }) => isOfKind(body.content, question.kind))
  const ranked = rankCandidates(fitting.map((entry) => measure(entry, question.need !== undefined)))
  const { held } = await context.authority.ofCaller()
  const ask = callableBy(context, held)
  const candidates: Candidate[] = []
  for (const scored of ranked.slice(0, identities_asked_max)) {
    if (candidates.length === (question.limit ?? 10)) break
    if (await stands(scored.did, question, context)) candidates.push(await describe(scored, question, ask))
  }
  return candidates
}

function requireQuestion({ capability, need }: Question): void {
  if (capability !== undefined || need !== undefined) return
  throw refuse('invalid_payload', 'Name a capability, or say in words what you need.', {
    reason: 'no_selector',
  })
}

/** Live entries only: an agent without heartbeats is listed by query_registry but not recommended. */
function filterOf({ capability, need, include_foreign = true }: Question, now: string) {
  return {
    kind: 'agent',
    versions: { live_at: now },
    own_only: !include_foreign,
    ...(capability === undefined ? {} : { capability }),
    ...(need === undefined ? {} : { need }),
  } as const
}

function isOfKind(content: Readonly<Record<string, unknown>>, kind: string | undefined): boolean {
  return kind === undefined || content.entity_kind === kind
}

function measure(entry: FoundEntry, has_words: boolean): Measurable {
  const entry_healths = Object.values(entry.health)
  const latencies = entry_healths.flatMap(({ latency_p50_ms }) => latency_p50_ms ?? [])
  return {
    did: entry.subject,
    found: entry,
    health_bps: entry_healths.flatMap(({ health_bps }) => health_bps ?? []),
    ...(latencies.length > 0 ? { latency_p50_ms: Math.min(...latencies) } : {}),
    ...(has_words ? { text_rank: entry.rank } : {}),
  }
}

/** Not revoked, and at least at the requested identity level. */
async function stands(did: string, { min_level = 'L0' }: Question, context: OperationContext<'authority'>) {
  const { identity } = await context.authority.of(did)
  return !identity.revoked && meetsLevel(identity, min_level)
}

async function describe(
  { found, did, score, score_parts }: Scored<Measurable>,
  question: Question,
  ask: AskCallable,
): Promise<Candidate> {
  const { body, tenant_id, hash, health } = found
  const advertised = (body.content.capabilities ?? []) as string[]
  const { capability_match, ...callable } = await matchOf(advertised, tenant_id, did, question, ask)
  return {
    did,
    tenant: tenant_id,
    entry: hash,
    endpoints: healthyFirst((body.content.service_endpoints ?? []) as AgentServiceEndpoint[], health),
    ...(capability_match === undefined ? {} : { capability_match }),
    ...callable,
    score,
    score_parts,
  }
}

/** The advertised capability that matches. Text alone matches any, so the first callable one is used. */
async function matchOf(
  advertised: readonly string[],
  tenant_id: string,
  did: string,
  { capability, max_price }: Question,
  ask: AskCallable,
): Promise<Callable & { readonly capability_match?: string }> {
  const matches =
    capability === undefined ? advertised : advertised.filter((name) => covers(name, capability)).slice(0, 1)
  const [capability_match] = matches
  if (capability_match === undefined) return { callable_now: false, why_not: 'no capability advertised' }
  // No agent publishes prices yet, and an entry without a price matches no price limit.
  if (max_price !== undefined)
    return { capability_match, callable_now: false, why_not: 'price not published' }
  const first = { capability_match, ...(await ask(tenant_id, did, capability ?? capability_match)) }
  if (first.callable_now) return first
  for (const name of matches.slice(1, matches_asked_max)) {
    const answer = await ask(tenant_id, did, name)
    if (answer.callable_now) return { capability_match: name, ...answer }
  }
  return first
}

function healthyFirst(
  endpoints: readonly AgentServiceEndpoint[],
  health: Readonly<Record<string, EntryHealth>>,
): Candidate['endpoints'] {
  const order = (healthy: boolean | null) => (healthy === true ? 0 : healthy === null ? 1 : 2)
  return endpoints
    .map((endpoint) => {
      const { healthy = null, latency_p50_ms = null } = health[endpoint.url] ?? {}
      return { ...endpoint, healthy, ...(latency_p50_ms === null ? {} : { latency_p50_ms }) }
    })
    .sort((a, b) => order(a.healthy) - order(b.healthy))
}
