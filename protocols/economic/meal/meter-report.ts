// Usage reported by an external service. It is written to the audit log, and metered from there.
import { findRecords } from '@svc/audit/query/records'
import { chargeQuanta, type Multipliers, rateAt } from '@svc/contract/money/charge'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, TenantId, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { momentOf } from './billing-period.ts'
import { closedUntil } from './billing-store.ts'
import { ratesOf } from './rate-store.ts'

const ahead_ms_max = 60_000
const age_ms_max = 400 * 86_400_000
const records_of_correlation_max = 100
const tokens_max = 1_000_000_000
const ms_max = 86_400_000
const uwh_max = 1_000_000_000_000
/** External services have no multipliers in the catalogue: their usage is priced unchanged. */
const bps: Multipliers = [10_000, 10_000, 10_000]

const Tokens = Type.Integer({ minimum: 0, maximum: tokens_max })

export const MeterInput = Closed({
  event_id: described(Uuid, 'Chosen by you: the same id counts once.'),
  tenant_id: described(TenantId, 'Organization that used it.'),
  protocol: Text(64, {
    pattern: '^[A-Za-z]{1,64}$',
    description: 'External protocol that reports its own usage.',
  }),
  operation: Text(128, { pattern: '^[a-z][a-z0-9_.]{0,127}$', description: 'Operation that was performed.' }),
  correlation_id: described(Uuid, 'Call that caused the usage.'),
  tokens_in: Type.Optional(described(Tokens, 'Tokens read. Default 0.')),
  tokens_out: Type.Optional(described(Tokens, 'Tokens written. Default 0.')),
  milliseconds: Type.Integer({ minimum: 1, maximum: ms_max, description: 'Time the operation took.' }),
  energy_uwh: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: uwh_max,
      description: 'Energy used, in millionths of a watt-hour. Default 0.',
    }),
  ),
  occurred_at: described(Timestamp, 'When it was used.'),
  origin: Type.Optional(
    Text(32, {
      pattern: '^[a-z][a-z0-9_-]{0,31}$',
      description: 'Where the call came from, such as http or mcp; statements group by it.',
    }),
  ),
})
type MeterInput = Static<typeof MeterInput>

export const MeterOutput = Closed({
  event_id: described(Uuid, 'The event that was reported.'),
  charge_quanta: Type.String({ pattern: '^\\d{1,38}$', description: 'In 10^-19 USD.' }),
  accepted: Type.Boolean({ description: 'The usage is counted.' }),
  duplicate: Type.Boolean({ description: 'It was reported before, and counts once.' }),
  late: Type.Boolean({ description: 'Its period is closed, so it counts in the next one.' }),
})

export async function meter(
  input: MeterInput,
  context: OperationContext<'audit_log' | 'budgets' | 'engine' | 'tenants'>,
): Promise<Static<typeof MeterOutput>> {
  requireOwn(input, context)
  const occurred_ms = momentOf(input.occurred_at, '/occurred_at')
  requireRecent(occurred_ms, Date.parse(context.now))
  const protocol = await requireSpeaker(input, context)
  const { db, tenant_id } = context
  const usage = {
    ms: input.milliseconds,
    tokens_in: input.tokens_in ?? 0,
    tokens_out: input.tokens_out ?? 0,
    uwh: input.energy_uwh ?? 0,
  }
  const rate = rateAt(await ratesOf(db, tenant_id), occurred_ms)
  const quanta = chargeQuanta(usage, rate, bps)
  const late = ((await closedUntil(db, tenant_id)) ?? 0) > occurred_ms
  const first = await keepReceipt(input, context, quanta)
  if (first !== undefined)
    return { event_id: input.event_id, charge_quanta: String(first), accepted: true, duplicate: true, late }
  const { event_id, operation, correlation_id, origin } = input
  const occurred_at = new Date(occurred_ms).toISOString()
  context.audit('UsageMetered', {
    reported: { event_id, protocol, operation, correlation_id, occurred_at, origin },
    usage: { bps, ...usage, quanta: String(quanta), rate: rate.version },
  })
  context.budgets.countSpent(quanta)
  return { event_id, charge_quanta: String(quanta), accepted: true, duplicate: false, late }
}

/** The first charge if the same usage was reported before; undefined if it is new. */
async function keepReceipt(
  input: MeterInput,
  { db, tenant_id }: OperationContext,
  quanta: bigint,
): Promise<bigint | undefined> {
  const content_hash = contentHash(input)
  const added = await sql`
    INSERT INTO meter_receipts (tenant_id, event_id, content_hash, quanta)
    VALUES (${tenant_id}, ${input.event_id}, ${content_hash}, ${String(quanta)})
    ON CONFLICT DO NOTHING RETURNING event_id`.execute(db)
  if (added.rows.length > 0) return undefined
  const row = await sql<{ content_hash: string; quanta: string }>`
    SELECT content_hash, quanta FROM meter_receipts
    WHERE tenant_id = ${tenant_id} AND event_id = ${input.event_id}`.first(db)
  if (row!.content_hash !== content_hash)
    throw refuse(
      'policy_denied',
      `The event id ${input.event_id} was used for other usage; report this under an id of its own.`,
      { reason: 'event id reused' },
    )
  return BigInt(row!.quanta)
}

function requireOwn({ tenant_id }: MeterInput, context: OperationContext): void {
  if (tenant_id === context.tenant_id) return
  throw refuse(
    'policy_denied',
    'The payload names another tenant than the call; report usage under the tenant that used it.',
    { reason: 'payload tenant does not match context tenant' },
  )
}

/** The engine, or a speaker of the protocol for a request that it answered. Returns the protocol's name. */
async function requireSpeaker(
  input: MeterInput,
  context: OperationContext<'audit_log' | 'engine' | 'tenants'>,
): Promise<string> {
  if (context.caller.did === context.engine.did) return input.protocol
  const speakers = await context.tenants.speakersOf(input.protocol)
  if (!speakers.includes(context.caller.did))
    throw refuse(
      'policy_denied',
      `You are not registered as a service of ${input.protocol}, and only its own services report its usage; use the identity of one.`,
      { reason: 'not the meter of this protocol' },
    )
  await context.audit_log.settled()
  const records = await findRecords(context.db, context.tenant_id, {
    correlation_ids: [input.correlation_id],
    limit: records_of_correlation_max,
  })
  const protocol_id = input.protocol.toUpperCase()
  const answered = records.find(({ protocol }) => protocol?.toUpperCase() === protocol_id)
  if (!answered) throw notFound(`request of ${input.protocol}`, input.correlation_id)
  return answered.protocol!
}

function requireRecent(occurred_ms: number, now_ms: number): void {
  if (occurred_ms > now_ms + ahead_ms_max) throw badMoment('lies in the future; report what has happened')
  if (occurred_ms < now_ms - age_ms_max) throw badMoment('is older than 400 days, which is too late to bill')
}

function badMoment(why: string): Refusal {
  return refuse('invalid_payload', `occurred_at ${why}.`, {
    reason: 'bad_moment',
    faults: [{ pointer: '/occurred_at', message: why }],
  })
}
