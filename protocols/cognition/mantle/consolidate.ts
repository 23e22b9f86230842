// Turns recent episodes into lasting knowledge. A run is one transaction and does not repeat earlier runs.
import { isMoment } from '@svc/contract/moment'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf, OneOf, Period, Ref, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Namespace, namespaceKey, Share } from '../cells/api.ts'
import { keepContent, type StoredContent } from '../content/api.ts'
import { activationOf, archived_below, unused_ms_min } from './activation.ts'
import { type Episode, episodesOf, keepEpisodes, nameUnclear } from './consolidation-episodes.ts'
import { gather, lastOf, readSessions, taskOf } from './consolidation-gathering.ts'
import { type ConsolidationResult, type ConsolidationTask, compute } from './consolidation-job.ts'
import { makeProcedural, makeSemantic, type Run } from './consolidation-lasting.ts'
import {
  archiveCells,
  beginRun,
  findUnused,
  keepMembers,
  keepWatermark,
  promoteCells,
} from './consolidation-store.ts'

const cells_listed_max = 10_000
/** Above this, clustering runs in a worker thread. */
const occurrences_here_max = 40
const calls_here_max = 100
const compute_ms_max = 100_000
const job = computation<ConsolidationTask, ConsolidationResult>(
  new URL('./consolidation-job.ts', import.meta.url),
)

const targets_all = ['episodic', 'semantic', 'procedural'] as const
type Target = (typeof targets_all)[number]
const Refs = ListOf(Ref, 0, cells_listed_max)
const Support = Type.Integer({ minimum: 1 })

export const ConsolidateInput = Closed({
  namespace: Type.Optional({ ...Namespace, default: 'default' } as typeof Namespace),
  window: Type.Optional({
    ...Period,
    description: 'Memories of this period; default: those recorded since the last run.',
  } as typeof Period),
  targets: Type.Optional(Type.Array(OneOf(...targets_all), { minItems: 1, maxItems: 3, uniqueItems: true })),
  min_support: Type.Optional(Type.Integer({ minimum: 2, maximum: 100, default: 3 })),
  max_cells: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 })),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Returns the result without storing anything.' }),
  ),
})
export type ConsolidateInput = Static<typeof ConsolidateInput>

export const ConsolidateOutput = Closed({
  consolidation_ref: Type.Optional(Ref),
  examined: Type.Integer({ minimum: 0 }),
  promoted: Refs,
  episodes: ListOf(
    Closed({
      episode_ref: Type.Optional(Ref),
      cells: Refs,
      from: Timestamp,
      to: Timestamp,
      silhouette: Type.Number({ minimum: -1, maximum: 1 }),
      name: Type.Optional(Type.String({ description: 'Proposed by a model; not verified.' })),
    }),
    0,
    cells_listed_max,
  ),
  semantic_created: ListOf(
    Closed({ ref: Type.Optional(Ref), support: Support, confidence: Share }),
    0,
    1_000,
  ),
  procedural_created: ListOf(
    Closed({
      ref: Type.Optional(Ref),
      steps: ListOf(Type.String(), 3, 12),
      support: Support,
      recipe_id: Hash,
    }),
    0,
    1_000,
  ),
  archived: Refs,
  conflicts: ListOf(Closed({ fact_ref: Ref, against: ListOf(Ref, 0, 1_000) }), 0, 1_000),
  watermark: Type.Union([Timestamp, Type.Null()]),
  truncated: Type.Boolean({ description: 'There are more than max_cells cells: call again.' }),
  dry_run: Type.Boolean(),
})

export async function consolidateMemory(
  input: ConsolidateInput,
  context: OperationContext<'audit_log' | 'compute' | 'embedder' | 'model' | 'tokens' | 'vault'>,
): Promise<Static<typeof ConsolidateOutput>> {
  const { namespace = 'default', min_support = 3, max_cells = 1_000, dry_run = false, window } = input
  const targets: ReadonlySet<Target> = new Set(input.targets ?? targets_all)
  requireWindow(window)
  context.takePath('protocol')
  const namespace_key = namespaceKey(context, namespace)
  const run: Run = { namespace, namespace_key, min_support, dry_run }
  const watermark = await beginRun(context, namespace_key)
  const experience = await gather(context, {
    namespace_key,
    window,
    watermark,
    max_cells,
    with_working: targets.has('episodic'),
  })
  const fresh = experience.cells.filter(({ is_known }) => !is_known)
  const sessions = targets.has('procedural') ? await readSessions(context, window) : []
  const { clusters, sequences } = await reckon(
    context,
    await taskOf(context, fresh, experience.contents, sessions, min_support),
  )
  const episodes = targets.has('episodic')
    ? await makeEpisodes(context, episodesOf(clusters, fresh), experience.contents, dry_run)
    : []
  if (!dry_run) {
    await promoteCells(context, experience.promoted)
    await keepMembers(
      context,
      fresh.map(({ ref }) => ({ cell_ref: ref, episode_ref: null })),
    )
  }
  const read = experience.cells.flatMap(({ ref }) => experience.contents.get(ref) ?? [])
  const semantic = targets.has('semantic')
    ? await makeSemantic(context, run, read)
    : { created: [], conflicts: [] }
  const procedural_created = await makeProcedural(context, run, sequences)
  const archived = await archive(context, run, max_cells)
  const reached = window ? watermark : (lastOf(experience, watermark) ?? watermark)
  const result = {
    examined: experience.cells.length,
    promoted: [...experience.promoted],
    episodes: [...episodes],
    semantic_created: semantic.created,
    procedural_created,
    archived,
    conflicts: semantic.conflicts.map(({ fact_ref, against }) => ({ fact_ref, against: [...against] })),
    watermark: reached?.toISOString() ?? null,
    truncated: experience.truncated,
    dry_run,
  }
  if (dry_run) return result
  if (reached) await keepWatermark(context, namespace_key, reached)
  const consolidation_ref = `mantle://consolidation/${context.newId()}`
  await keepContent(context, { ref: consolidation_ref, kind: 'consolidation', body: result })
  context.audit('MemoryConsolidated', { consolidation_ref, ...countsOf(result) })
  return { consolidation_ref, ...result }
}

type Found = Omit<Static<typeof ConsolidateOutput>, 'consolidation_ref'>

/** The audit record holds counts and names; the results are sealed under the reference. */
function countsOf(result: Found): Record<string, unknown> {
  return {
    examined: result.examined,
    promoted: result.promoted.length,
    episodes: result.episodes.length,
    semantic_created: result.semantic_created.length,
    procedural_created: result.procedural_created.length,
    archived: result.archived.length,
    conflicts: result.conflicts.length,
    watermark: result.watermark,
  }
}

function requireWindow(window: ConsolidateInput['window']): void {
  if (!window) return
  const { from, to } = window
  if (isMoment(from) && isMoment(to) && Date.parse(from) < Date.parse(to)) return
  throw refuse('invalid_payload', 'window must end after it begins, at moments that exist; correct it.', {
    reason: 'bad_window',
    faults: [{ pointer: '/window', message: 'is empty or no time of the calendar' }],
  })
}

async function reckon(
  context: OperationContext<'compute'>,
  task: ConsolidationTask,
): Promise<ConsolidationResult> {
  const calls = task.sessions.reduce((sum, { steps }) => sum + steps.length, 0)
  if (task.occurrences.length <= occurrences_here_max && calls <= calls_here_max) return compute(task)
  return await context.compute(job, task, compute_ms_max)
}

async function makeEpisodes(
  context: OperationContext<'embedder' | 'model' | 'tokens' | 'vault'>,
  all_episodes: readonly Episode[],
  contents: ReadonlyMap<string, StoredContent>,
  dry_run: boolean,
): Promise<readonly Episode[]> {
  if (dry_run) return all_episodes
  const { episodes, is_asked } = await nameUnclear(context, all_episodes, contents)
  if (is_asked) context.takePath('agent')
  return await keepEpisodes(context, episodes)
}

async function archive(
  context: OperationContext,
  { namespace_key, dry_run }: Run,
  limit: number,
): Promise<string[]> {
  const now = new Date(context.now)
  const before = new Date(now.getTime() - unused_ms_min)
  const unused = await findUnused(context, namespace_key, before, limit)
  const faded = unused.filter(
    ({ access_count, ...cell }) =>
      activationOf({ ...cell, access_count: Number(access_count) }, now) < archived_below,
  )
  const refs = faded.map(({ ref }) => ref)
  if (!dry_run) await archiveCells(context, refs)
  return refs
}
