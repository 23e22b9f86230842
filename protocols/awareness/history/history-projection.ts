// Runs in the writer thread: adds calls to the history in the transaction that stores their records.
import type { Projection } from '@svc/audit/writer/commit'
import { addCalls } from './call-sums.ts'
import { countedCallOf } from './counted-call.ts'

export const projections: readonly Projection[] = [
  async (client, records) => {
    const counted = records.flatMap(({ fields }) => countedCallOf(fields) ?? [])
    if (counted.length > 0) await addCalls(client, counted)
    return false
  },
]
