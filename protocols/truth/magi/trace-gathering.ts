// Reads the material of a trace in rounds: a request's records, what they name, and the records that made it.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { domain_events } from '@svc/contract/audit/event'
import type { OperationContext } from '@svc/contract/operation-context'
import { inputsOf } from '../../awareness/max/api.ts'
import { dependentsOf } from '../../cognition/content/api.ts'
import { readForeign } from './trace-foreign.ts'
import {
  fit,
  type Harvest,
  lookUp,
  readTraced,
  take,
  takeMakers,
  takeRequests,
  type Wanted,
} from './trace-harvest.ts'
import type { Material } from './trace-node.ts'
import { companionsOf, followed, namedBy, nameOf, refsIn } from './trace-nouns.ts'
import { ballotOf, crowdOf, forbiddingOf, possibleOf } from './trace-rejudging.ts'
import type { Start } from './trace-root.ts'

const inputs_per_read = 50
const companions_max = 64
const followed_refs_max = 64

export interface Gathered {
  readonly material: Material
  readonly tokens_in: number
  readonly truncated_by: ReadonlySet<'nodes' | 'tokens'>
  /** Records of others that do not match their signature. */
  readonly foreign_bad: readonly AuditRecord[]
}

export async function gather(
  start: Start,
  request: Wanted,
  context: OperationContext<
    'audit_log' | 'charter' | 'policies' | 'served' | 'telemetry' | 'tokens' | 'treaties' | 'vault'
  >,
  tokens_in: number,
): Promise<Gathered> {
  const harvest: Harvest = {
    context,
    wanted: request,
    records: new Map(),
    requests: new Set(),
    refs: new Set(),
    contents: new Map(),
    inputs: {},
    forbidding: {},
    possible: {},
    crowding: {},
    ballots: {},
    foreign: { partners: new Map(), bad: [] },
    truncated_by: new Set(),
    tokens_in,
    followed: 0,
  }
  let fresh = await take(harvest, start.records)
  fresh.push(...(await lookUp(harvest, start.refs)))
  // Each round advances at least one step, so everything within the depth is read before the cut.
  for (let round = 0; round < request.max_depth && harvest.truncated_by.size === 0; round++) {
    if (fresh.length === 0) break
    context.signal.throwIfAborted()
    fresh = await expand(harvest, fresh)
  }
  const { records, contents, inputs, forbidding, possible, crowding, ballots, truncated_by, foreign } =
    harvest
  return {
    material: {
      tenant_id: context.tenant_id,
      records: [...records.values()],
      contents: [...contents.values()],
      inputs,
      forbidding,
      possible,
      crowding,
      ballots,
    },
    tokens_in: harvest.tokens_in,
    truncated_by,
    foreign_bad: foreign.bad,
  }
}

async function expand(harvest: Harvest, before: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { context, wanted } = harvest
  const siblings = await takeRequests(
    harvest,
    before.filter(({ tenant_id }) => tenant_id === context.tenant_id).map((record) => record.correlation_id),
  )
  const partners = wanted.include_foreign
    ? await take(harvest, await readForeign(harvest.foreign, [...before, ...siblings], context))
    : []
  const fresh = [...before, ...siblings, ...partners]
  await openInputs(harvest, fresh)
  await judge(harvest, fresh)
  const crowd = await takeCrowds(harvest, fresh)
  const gathered: AuditRecord[] = [...crowd]
  if (wanted.direction !== 'effects') gathered.push(...(await takeCauses(harvest, fresh)))
  if (wanted.direction !== 'causes') gathered.push(...(await takeEffects(harvest, fresh)))
  return gathered
}

/** Inputs this caller may open, a few at a time, as they may be large. */
async function openInputs({ inputs, context }: Harvest, fresh: readonly AuditRecord[]): Promise<void> {
  const own = fresh.filter(
    ({ tenant_id, meta }) => tenant_id === context.tenant_id && typeof meta.input_hash === 'string',
  )
  for (let at = 0; at < own.length; at += inputs_per_read) {
    const opened = await inputsOf(own.slice(at, at + inputs_per_read), context)
    for (const [hash, input] of Object.entries(opened)) inputs[hash] = refsIn(input)
  }
}

/** Re-evaluates deterministic rules. */
async function judge(harvest: Harvest, fresh: readonly AuditRecord[]): Promise<void> {
  const { context, forbidding, possible, ballots } = harvest
  for (const record of fresh) {
    if (record.tenant_id !== context.tenant_id) continue
    const against = await forbiddingOf(record, context)
    if (against) forbidding[record.record_hash] = against
    else possible[record.record_hash] = await possibleOf(record, context)
    const ballot = await ballotOf(record, context)
    if (ballot) ballots[String(record.meta.verdict)] = ballot
  }
}

async function takeCrowds(harvest: Harvest, fresh: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { context, crowding, wanted } = harvest
  const taken: AuditRecord[] = []
  if (wanted.direction === 'effects') return taken
  for (const record of fresh) {
    const crowd = await crowdOf(record, context)
    if (!crowd) continue
    crowding[record.record_hash] = crowd.needed
    taken.push(...(await take(harvest, crowd.calls)))
  }
  return taken
}

async function takeCauses(harvest: Harvest, fresh: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { context, inputs, forbidding, possible } = harvest
  const wanted_refs = fresh
    .filter(({ tenant_id }) => tenant_id === context.tenant_id)
    .flatMap((record) => {
      const { used, refused_by, grant } = namedBy(record)
      return [
        ...used,
        ...refused_by,
        ...(forbidding[record.record_hash] ?? []),
        ...(possible[record.record_hash] ?? []),
        ...(inputs[String(record.meta.input_hash)] ?? []),
        ...(grant && record.meta.grant_ref !== undefined ? [grant] : []),
      ]
    })
  const new_records = await lookUp(harvest, wanted_refs)
  const followers = fresh.filter(({ event_type }) => followed(event_type).length > 0)
  const refs = new Set(followers.flatMap((record) => namedBy(record).used))
  const companions = [...refs].flatMap((ref) => companionsOf(ref) ?? [])
  return [...new_records, ...(await takeMakers(harvest, companions, companions_max))]
}

const telling_events = [
  ...domain_events,
  'SecurityViolation',
  'AuthorizationCheck',
  'CapabilityGrant',
  'Error',
]

/** What depends on things these records made, and who named them later. */
async function takeEffects(harvest: Harvest, fresh: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { context, contents } = harvest
  const own = fresh.filter(({ tenant_id }) => tenant_id === context.tenant_id)
  await readTraced(
    harvest,
    fit(
      harvest,
      own.flatMap((record) => namedBy(record).used),
    ),
  )
  const made = new Set(
    own.flatMap((record) => {
      const { made: things, used } = namedBy(record)
      return [...things, ...used.filter((ref) => contents.get(ref)?.correlation_id === record.correlation_id)]
    }),
  )
  const gathered: AuditRecord[] = []
  const dependents = made.size > 0 ? await dependentsOf(context, [...made]) : []
  gathered.push(
    ...(await lookUp(
      harvest,
      dependents.map(({ ref }) => ref),
    )),
  )
  const followed_refs = [...made].slice(0, Math.max(0, followed_refs_max - harvest.followed))
  harvest.followed += made.size
  const makers = followed_refs.map((ref) => ({ event_types: telling_events, name: nameOf(ref) }))
  gathered.push(...(await takeMakers(harvest, makers, companions_max)))
  // Afterwards: nothing more is read of a trace that is truncated.
  if (followed_refs.length < made.size) harvest.truncated_by.add('nodes')
  return gathered
}
