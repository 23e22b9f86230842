// GET /v1/live: live figures about once a second as server-sent events, for the console's page "Now".
import { type Static, Type } from 'typebox'
import { MicroUsd, UsdText } from './money/money.ts'
import { Closed, ListOf, OneOf, Timestamp } from './schema.ts'
import { stages } from './stage.ts'

export const live_protocols_max = 20
export const live_breakers_max = 100
const Count = Type.Integer({ minimum: 0 })
const Milliseconds = Type.Number({ minimum: 0 })
/** Engine-wide load is shown to the operator only; others get null. */
const ForOperator = <T extends typeof Count | typeof Milliseconds>(figure: T) =>
  Type.Union([figure, Type.Null()], { description: "Null for tenants that are not the engine's operator." })
const ByCode = Type.Record(Type.String(), Count, {
  description: 'Calls by refusal code; `ok` for calls that were not refused.',
})

export const LiveFigures = Closed(
  {
    at: Timestamp,
    engine: Closed({
      instance: Type.String({ description: 'The reporting process; changes after a restart.' }),
      version: Type.String(),
      uptime_seconds: Count,
      in_flight: ForOperator(Count),
      loop_delay_p99_ms: ForOperator(Milliseconds),
    }),
    second: Closed(
      {
        calls: Count,
        by_outcome: Closed({ success: Count, refused: Count, error: Count }),
        by_code: ByCode,
      },
      { description: "The tenant's calls that ended since the previous event, about a second ago." },
    ),
    minute: Closed(
      {
        calls: Count,
        per_second: Type.Number({ minimum: 0 }),
        latency_ms: Closed({ p50: Milliseconds, p95: Milliseconds, p99: Milliseconds }),
        by_code: ByCode,
        by_protocol: ListOf(
          Closed({
            protocol: Type.String(),
            calls: Count,
            refused: Count,
            errors: Count,
            p95_ms: Milliseconds,
          }),
          0,
          live_protocols_max,
        ),
      },
      { description: "The tenant's calls of about the last minute; the busiest protocols first." },
    ),
    stages: ListOf(
      Closed({
        stage: Type.Integer({ minimum: 0, maximum: 8 }),
        name: OneOf(...stages.map(({ id }) => id)),
        p50_ms: Milliseconds,
        p99_ms: Milliseconds,
        calls: ForOperator(Count),
      }),
      0,
      stages.length,
    ),
    breakers: ListOf(
      Closed({
        protocol: Type.String(),
        endpoint: Type.Union([Type.String(), Type.Null()], {
          description: "Null for tenants that are not the engine's operator.",
        }),
        state: OneOf('CLOSED', 'HALF_OPEN', 'OPEN'),
      }),
      0,
      live_breakers_max,
    ),
    runway: Type.Union(
      [
        Closed({
          level: OneOf('ample', 'low', 'critical', 'exhausted'),
          standing: OneOf('active', 'dissolving', 'sealed'),
          holds: Count,
          spent_usd: UsdText,
          reserved_usd: UsdText,
          left_usd: UsdText,
          left_micro_usd: MicroUsd,
        }),
        Type.Null(),
      ],
      { description: 'Read every few seconds; null until then, or while it cannot be read.' },
    ),
    audit: Closed({
      state: OneOf('normal', 'buffering', 'overflow'),
      journal_bytes: ForOperator(Count),
      journal_bytes_max: ForOperator(Count),
      head_seq: Type.Union([Count, Type.Null()], {
        description: "Sequence number of the newest record of the tenant's chain; null while there is none.",
      }),
    }),
  },
  {
    description: "Live figures of one process; calls are those of the caller's tenant only.",
  },
)
export type LiveFigures = Static<typeof LiveFigures>
