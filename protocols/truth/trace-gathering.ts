// Reads what a trace rests on, round by round: records of a request, what they name, and the records that made that.
import { correlationsNaming, findRecords } from '@svc/audit/records'
import type { AuditRecord } from '@svc/contract/audit-record'
import { domain_events } from '@svc/contract/event'
import type { OperationContext } from '@svc/contract/operation-context'
import { inputsOf } from '../awareness/book-access.ts'
import { dependentsOf } from '../cognition/content-link.ts'
import { readContent, readContents } from '../cognition/content-store.ts'
import { hiddenFrom } from './claim-store.ts'
import { type Foreign, readForeign } from './trace-foreign.ts'
import type { Crowd, Material, TracedContent } from './trace-node.ts'
import { companionsOf, followed, type Maker, makerOf, namedBy, nameOf, refsIn } from './trace-nouns.ts'
import { ballotOf, crowdOf, forbiddingOf } from './trace-rejudging.ts'
import { findByHash, hashIn, type Start } from './trace-root.ts'

const requests_per_read = 100
const records_of_request_max = 1_000
const makers_max = 8
const companions_max = 64
const followed_refs_max = 64
const contents_per_read = 500
const looked_up_max = 5_000

export interface Wanted {
  readonly direction: 'causes' | 'effects' | 'both'
  readonly max_depth: number
  readonly max_nodes: number
  readonly include_foreign: boolean
  readonly tokens_max: number
}

export interface Gathered {
  readonly material: Material
  readonly tokens_in: number
  readonly truncated_by: ReadonlySet<'nodes' | 'tokens' | 'depth'>
  /** Records of others that are not what was signed. */
  readonly foreign_bad: readonly AuditRecord[]
}

/** What is known so far, and what was looked for already. */
interface Harvest {
  readonly context: OperationContext
  readonly wanted: Wanted
  readonly records: Map<string, AuditRecord>
  readonly requests: Set<string>
  readonly refs: Set<string>
  readonly contents: Map<string, TracedContent>
  readonly inputs: Record<string, readonly string[]>
  readonly forbidding: Record<string, readonly string[]>
  readonly crowding: Record<string, Crowd>
  readonly ballots: Record<string, Crowd>
  readonly foreign: Foreign
  readonly truncated_by: Set<'nodes' | 'tokens' | 'depth'>
  tokens_in: number
  followed: number
}

export async function gather(
  start: Start,
  wanted: Wanted,
  context: OperationContext,
  tokens_in: number,
): Promise<Gathered> {
  const harvest: Harvest = {
    context,
    wanted,
    records: new Map(),
    requests: new Set(),
    refs: new Set(),
    contents: new Map(),
    inputs: {},
    forbidding: {},
    crowding: {},
    ballots: {},
    foreign: { partners: new Map(), bad: [] },
    truncated_by: new Set(),
    tokens_in,
    followed: 0,
  }
  let fresh = await take(harvest, start.records)
  fresh.push(...(await lookUp(harvest, start.refs)))
  // A round goes from records to things and on to the records that made those: two steps.
  const rounds_max = Math.ceil(wanted.max_depth / 2) + 1
  for (let round = 0; fresh.length > 0 && harvest.truncated_by.size === 0; round++) {
    if (round >= rounds_max) {
      harvest.truncated_by.add('depth')
      break
    }
    context.signal.throwIfAborted()
    fresh = await expand(harvest, fresh)
  }
  const { records, contents, inputs, forbidding, crowding, ballots, truncated_by, foreign } = harvest
  return {
    material: {
      tenant_id: context.tenant_id,
      records: [...records.values()],
      contents: [...contents.values()],
      inputs,
      forbidding,
      crowding,
      ballots,
    },
    tokens_in: harvest.tokens_in,
    truncated_by,
    foreign_bad: foreign.bad,
  }
}

/** Adds records that are new, as far as nodes and tokens allow. The words of a record that are read are billed. */
async function take(harvest: Harvest, found: readonly AuditRecord[]): Promise<AuditRecord[]> {
  const { records, wanted, context, truncated_by } = harvest
  const fresh: AuditRecord[] = []
  for (const record of found) {
    if (records.has(record.record_hash)) continue
    if (records.size >= wanted.max_nodes) {
      truncated_by.add('nodes')
      break
    }
    records.set(record.record_hash, record)
    fresh.push(record)
  }
  if (fresh.length === 0) return fresh
  harvest.tokens_in += await context.countTokens(fresh.map(wordsOf))
  if (harvest.tokens_in > wanted.tokens_max) truncated_by.add('tokens')
  return fresh
}

function wordsOf({ event_type, protocol, operation, outcome, meta }: AuditRecord): string {
  return [event_type, protocol, operation, outcome, meta.reason].filter(Boolean).join(' ')
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
  const found: AuditRecord[] = [...crowd]
  if (wanted.direction !== 'effects') found.push(...(await takeCauses(harvest, fresh)))
  if (wanted.direction !== 'causes') found.push(...(await takeEffects(harvest, fresh)))
  return found
}

async function takeRequests(harvest: Harvest, ids: readonly string[]): Promise<AuditRecord[]> {
  const { context, requests } = harvest
  const unread = [...new Set(ids)].filter((id) => !requests.has(id))
  const fresh: AuditRecord[] = []
  for (let at = 0; at < unread.length && harvest.truncated_by.size === 0; at += requests_per_read) {
    const correlation_ids = unread.slice(at, at + requests_per_read)
    for (const id of correlation_ids) requests.add(id)
    const filter = { correlation_ids, limit: records_of_request_max }
    const found = await findRecords(context.db, context.tenant_id, filter)
    if (found.length === filter.limit) harvest.truncated_by.add('nodes')
    fresh.push(...(await take(harvest, found)))
  }
  return fresh
}

/** Of calls whose inputs this caller may open. */
async function openInputs({ inputs, context }: Harvest, fresh: readonly AuditRecord[]): Promise<void> {
  const own = fresh.filter(
    ({ tenant_id, meta }) => tenant_id === context.tenant_id && typeof meta.input_hash === 'string',
  )
  if (own.length === 0) return
  for (const [hash, input] of Object.entries(await inputsOf(own, context))) inputs[hash] = refsIn(input)
}

/** What deterministic rules say when they are asked again. */
async function judge(harvest: Harvest, fresh: readonly AuditRecord[]): Promise<void> {
  const { context, forbidding, ballots } = harvest
  for (const record of fresh) {
    if (record.tenant_id !== context.tenant_id) continue
    const against = await forbiddingOf(record, context)
    if (against) forbidding[record.record_hash] = against
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
  const { context, inputs, forbidding } = harvest
  const wanted = fresh
    .filter(({ tenant_id }) => tenant_id === context.tenant_id)
    .flatMap((record) => {
      const { used, refused_by, grant } = namedBy(record)
      return [
        ...used,
        ...refused_by,
        ...(forbidding[record.record_hash] ?? []),
        ...(inputs[String(record.meta.input_hash)] ?? []),
        ...(grant && record.meta.grant_source === 'delegation' ? [grant] : []),
      ]
    })
  const found = await lookUp(harvest, wanted)
  const followers = fresh.filter(({ event_type }) => followed(event_type).length > 0)
  for (const ref of new Set(followers.flatMap((record) => namedBy(record).used))) {
    const companions = companionsOf(ref)
    if (companions) found.push(...(await takeMakers(harvest, companions, companions_max)))
  }
  return found
}

/** Finds what brought each thing: content by its row, the rest by the events that tell of its making. */
async function lookUp(harvest: Harvest, wanted: readonly string[]): Promise<AuditRecord[]> {
  const { context } = harvest
  let unread = fit(harvest, wanted)
  const found: AuditRecord[] = []
  while (unread.length > 0 && harvest.truncated_by.size === 0) {
    const contents = await readTraced(harvest, unread)
    const brought = contents.map(({ correlation_id }) => correlation_id)
    found.push(...(await takeRequests(harvest, brought)))
    const known = new Set(contents.map(({ ref }) => ref))
    for (const ref of unread) {
      if (known.has(ref)) continue
      const hash = hashIn(ref)
      const record = hash === undefined ? undefined : await findByHash(ref, context)
      const maker = makerOf(ref)
      if (record && record.tenant_id === context.tenant_id) found.push(...(await take(harvest, [record])))
      else if (maker) found.push(...(await takeMakers(harvest, maker, makers_max)))
    }
    unread = fit(
      harvest,
      contents.flatMap(({ cites }) => cites),
    )
  }
  return found
}

function fit({ refs, truncated_by }: Harvest, wanted: readonly string[]): string[] {
  const unread: string[] = []
  for (const ref of wanted) {
    if (refs.has(ref) || ref.startsWith('rule:')) continue
    if (refs.size >= looked_up_max) {
      truncated_by.add('nodes')
      break
    }
    refs.add(ref)
    unread.push(ref)
  }
  return unread
}

/** The first version is what made a thing; later ones are changes of it. */
async function readTraced(harvest: Harvest, refs: readonly string[]): Promise<TracedContent[]> {
  const { context, contents } = harvest
  const found: TracedContent[] = []
  for (let at = 0; at < refs.length; at += contents_per_read) {
    const page = refs.slice(at, at + contents_per_read)
    const hidden = await hiddenFrom(context, page)
    for (const [ref, newest] of await readContents(context, page)) {
      const first = newest.version === 1 ? newest : await readContent(context, ref, { version: 1 })
      const { correlation_id, record_id } = first ?? newest
      const cites = hidden.has(ref) ? [] : refsIn(newest.body).filter((cited) => cited !== ref)
      const content = { ref, correlation_id, record_id, cites }
      contents.set(ref, content)
      found.push(content)
    }
  }
  return found
}

async function takeMakers(harvest: Harvest, maker: Maker, limit: number): Promise<AuditRecord[]> {
  const { db, tenant_id } = harvest.context
  const ids = await correlationsNaming(db, tenant_id, maker.event_types, maker.name, limit)
  return await takeRequests(harvest, ids)
}

const telling_events = [
  ...domain_events,
  'SecurityViolation',
  'AuthorizationCheck',
  'CapabilityGrant',
  'Error',
]

/** What rests on things that these records made, and who named them afterwards. */
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
  const found: AuditRecord[] = []
  const dependents = made.size > 0 ? await dependentsOf(context, [...made]) : []
  found.push(
    ...(await lookUp(
      harvest,
      dependents.map(({ ref }) => ref),
    )),
  )
  for (const ref of made) {
    if (harvest.followed++ >= followed_refs_max) {
      harvest.truncated_by.add('nodes')
      break
    }
    const maker = { event_types: telling_events, name: nameOf(ref) }
    found.push(...(await takeMakers(harvest, maker, companions_max)))
  }
  return found
}
