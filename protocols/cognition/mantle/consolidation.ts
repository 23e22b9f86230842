// Analyses recent experience: ended sessions, stated facts, repeated sequences. Pure.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Recipe } from '@svc/contract/recipe'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { isName, normaliseName, normalisePredicate, normaliseValue, type Triple } from '../content/api.ts'
import type { Session } from './consolidation-sequences.ts'

const pause_ms_max = 30 * 60_000
const recipe_version = 'v0.1.0'
/** Reading the audit log and consolidating are not counted as activity. */
const unremarkable: ReadonlySet<string> = new Set(['MAX', 'MANTLE'])

export interface WorkingCell {
  readonly ref: string
  readonly created_at: Date
  /** No longer active: evicted or expired. */
  readonly is_over: boolean
}

/** Refs of cells of ended sessions: followed by a long pause, or with no active cell left. */
export function closedSessions(cells: readonly WorkingCell[], now: Date): string[] {
  const sessions: WorkingCell[][] = []
  for (const cell of cells.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())) {
    const last = sessions.at(-1)?.at(-1)
    if (last && cell.created_at.getTime() - last.created_at.getTime() <= pause_ms_max)
      sessions.at(-1)!.push(cell)
    else sessions.push([cell])
  }
  return sessions.flatMap((session, place) => {
    const ended_ms = now.getTime() - session.at(-1)!.created_at.getTime()
    const is_closed =
      place < sessions.length - 1 || ended_ms > pause_ms_max || session.every(({ is_over }) => is_over)
    return is_closed ? session.map(({ ref }) => ref) : []
  })
}

/** Laplace's rule of succession: the confidence from k of n. */
export function confidenceOf(supporting: number, total: number): number {
  return (supporting + 1) / (total + 2)
}

export function entitiesOf(triples: readonly Triple[]): string[] {
  const names = triples.flatMap(({ subject, object }) => (isName(object) ? [subject, object] : [subject]))
  return [...new Set(names.map(normaliseName))]
}

export interface Statement {
  /** Equal for the same subject, predicate and object in any spelling. */
  readonly triple: string
  readonly pair: string
}

export function statementOf({ subject, predicate, object }: Triple): Statement {
  const pair = JSON.stringify([normaliseName(subject), normalisePredicate(predicate)])
  return { pair, triple: JSON.stringify([pair, normaliseValue(object)]) }
}

/** Each caller's calls without a long pause; immediate repetitions are one step. */
export function sessionsOf(records: readonly AuditRecord[]): Session[] {
  const by_caller = Map.groupBy(records.filter(isStep), ({ caller_did }) => caller_did)
  return [...by_caller.values()].flatMap((calls) => {
    const sessions: { steps: string[]; last_ms: number }[] = []
    for (const call of calls.toSorted((a, b) => a.seq - b.seq)) {
      const at_ms = Date.parse(call.timestamp)
      let session = sessions.at(-1)
      if (!session || at_ms - session.last_ms > pause_ms_max) {
        session = { steps: [], last_ms: at_ms }
        sessions.push(session)
      }
      session.last_ms = at_ms
      const step = `${call.protocol}.${call.operation}`
      if (session.steps.at(-1) !== step) session.steps.push(step)
    }
    return sessions
  })
}

function isStep({ event_type, outcome, protocol, operation, meta }: AuditRecord): boolean {
  if (event_type !== 'ProtocolInvocation' || outcome !== 'success') return false
  if (meta.dry_run === true || meta.replayed === true) return false
  return protocol !== undefined && operation !== undefined && !unremarkable.has(protocol.toUpperCase())
}

/** A draft: records do not hold the inputs of steps, so somebody must fill them in. */
export function draftRecipe(steps: readonly string[]): Recipe {
  const draft = {
    version: recipe_version,
    steps: steps.map((step, place) => {
      const [protocol, ...operation] = step.split('.') as [string, ...string[]]
      return {
        kind: 'Protocol' as const,
        name: `step_${place + 1}`,
        protocol,
        operation: operation.join('.'),
        payload: {},
        depends_on: place === 0 ? [] : [`step_${place}`],
      }
    }),
    audit_checkpoints: [],
    governance_gates: [],
  }
  return { id: contentHash(draft), ...draft }
}
