import { invalidCursor, page_max } from '@svc/contract/list-page'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { listMetrics } from '../metrics/api.ts'
import { MetricName } from './metric-query.ts'

const kinds = ['counter', 'gauge', 'histogram'] as const

export const ListMetricsInput = Closed({
  prefix: Type.Optional(
    Type.String({ pattern: '^[a-z_:][a-z0-9_:]{0,127}$', description: 'Only names that begin with it.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: page_max, default: page_max, description: 'Metrics per page.' }),
  ),
  cursor: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9_-]{1,512}$', description: 'next_cursor of the previous page.' }),
  ),
})
export const ListMetricsOutput = Closed({
  items: described(
    ListOf(
      Closed({
        metric: MetricName,
        kind: described(OneOf(...kinds), 'counter: only grows; gauge: goes up and down; histogram: counts by size.'), // biome-ignore format: one thought
        series: Type.Integer({ description: 'Combinations of labels it has.' }),
        label_names: described(
          ListOf(Type.String(), 0, 512),
          'Labels that its series have, to filter and group by.',
        ),
        last_measured_at: described(Timestamp, 'When a measurement of it arrived last.'),
      }),
      0,
      page_max,
    ),
    'By name.',
  ),
  next_cursor: Type.Optional(Type.String({ description: 'There are more; absent on the last page.' })),
})

/** An organization's own; the engine's metrics belong to its operator's organization. */
export async function listOwnMetrics(
  { prefix = '', limit = page_max, cursor }: Static<typeof ListMetricsInput>,
  context: OperationContext<'health'>,
): Promise<Static<typeof ListMetricsOutput>> {
  const after = cursor === undefined ? (['', ''] as const) : placeOf(cursor)
  await context.health.settled(context.tenant_id)
  const rows = await listMetrics(context.db, context.tenant_id, { prefix, after, limit: limit + 1 })
  const items = rows.slice(0, limit).map(({ name, kind, series, label_names, seen_at }) => ({
    metric: name,
    kind,
    series,
    label_names: label_names.slice(0, 512),
    last_measured_at: seen_at.toISOString(),
  }))
  const last = items.at(-1)
  if (rows.length <= limit || !last) return { items }
  return { items, next_cursor: Buffer.from(`${last.metric}|${last.kind}`).toString('base64url') }
}

function placeOf(cursor: string): readonly [name: string, kind: string] {
  const place = /^([a-z_:][a-z0-9_:]{0,127})\|(counter|gauge|histogram)$/.exec(
    Buffer.from(cursor, 'base64url').toString('latin1'),
  )
  if (place) return [place[1]!, place[2]!]
  throw invalidCursor()
}
