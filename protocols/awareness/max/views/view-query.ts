// The query of a saved view: pages of a list that is read, as the rows of one CSV.
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { View } from './view-store.ts'
import { compute, type TableText, type ViewTableTask } from './view-table-job.ts'

const pages_max = 10
/** What a caller waits for is built and sent by the main thread: twice as much holds it for more than 50 ms. */
const csv_chars_max = 2 * 1024 * 1024
/** Fewer are written at once, sooner than they are passed to a worker. */
const inline_chars_max = 128 * 1024
const compute_ms_max = 20_000
const job = computation<ViewTableTask, TableText>(new URL('./view-table-job.ts', import.meta.url))

export interface Period {
  readonly from: string
  readonly to: string
}

export interface ViewTable {
  readonly csv: string
  readonly rows: number
  /** More rows matched than it has. */
  readonly truncated: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** Each page is a call with the rights of whoever asks. */
export async function tableOf(
  { protocol, operation, filters }: Pick<View, 'protocol' | 'operation' | 'filters'>,
  period: Period | undefined,
  context: OperationContext<'compute' | 'served'>,
): Promise<ViewTable> {
  const names = inputNames(context, protocol, operation)
  let input: Fields = { ...periodInput(period, names), ...filters }
  const rows: string[] = []
  let chars = 0
  for (let pages = 0; pages < pages_max; pages++) {
    const answer = (await context.call(protocol, operation, input)) as Fields
    for (const fields of listIn(answer, `${protocol}.${operation}`)) {
      const row = JSON.stringify(fields)
      if (chars + row.length > csv_chars_max) return written(rows, chars, true, context)
      chars += row.length
      rows.push(row)
    }
    const next = nextInput(answer, names)
    if (!next) return written(rows, chars, false, context)
    input = { ...input, ...next }
  }
  return written(rows, chars, true, context)
}

/** Names of the fields that an operation takes; none where this engine does not serve it. */
function inputNames({ served }: OperationContext<'served'>, protocol: string, operation: string): string[] {
  const schema = served.find(protocol, operation)?.facts.input as { properties?: object } | undefined
  return Object.keys(schema?.properties ?? {})
}

function periodInput(period: Period | undefined, names: readonly string[]): Fields {
  if (!period) return {}
  if (names.includes('from') && names.includes('to')) return { from: period.from, to: period.to }
  return names.includes('since') ? { since: period.from } : {}
}

const next_fields = {
  next_cursor: 'cursor',
  next_after_seq: 'after_seq',
  next_before_seq: 'before_seq',
} as const

function nextInput(answer: Fields, names: readonly string[]): Fields | undefined {
  for (const [next, field] of Object.entries(next_fields))
    if (answer[next] !== undefined && names.includes(field)) return { [field]: answer[next] }
  return undefined
}

function listIn(answer: Fields, operation: string): Fields[] {
  const list = Object.values(answer).find(Array.isArray)
  if (list) return list.map((row) => (typeof row === 'object' && row !== null ? row : { value: row }))
  throw refuse(
    'invalid_payload',
    `${operation} answers no list, so it cannot be saved as rows; choose another.`,
    {
      reason: 'no list',
    },
  )
}

async function written(
  rows: readonly string[],
  chars: number,
  has_more: boolean,
  context: OperationContext<'compute'>,
): Promise<ViewTable> {
  const is_small = chars <= inline_chars_max
  const { csv, is_cut } = is_small ? compute({ rows }) : await context.compute(job, { rows }, compute_ms_max)
  return { csv, rows: rows.length, truncated: has_more || is_cut }
}
