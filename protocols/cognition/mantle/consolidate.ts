// Turns recent episodes into lasting knowledge. A run is one transaction and does not repeat earlier runs.
import { isMoment } from '@svc/contract/moment'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Period, Ref, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Namespace, namespaceKey, readersOf, Share } from '../cells/api.ts'
import { keepContent, type StoredContent } from '../content/api.ts'
import { activationOf, archived_below, unused_ms_min } from './activation.ts'
import { type Episode, episodesOf, keepEpisodes, nameUnclear } from './consolidation-episodes.ts'
import { gather, lastOf, readByModel, readSessions, taskOf } from './consolidation-gathering.ts'
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
const Support = Type.Integer({ minimum: 1, description: 'How often it was seen.' })

export const ConsolidateInput = Closed({
  namespace: Type.Optional({ ...Namespace, default: 'default' } as typeof Namespace),
  scope: Type.Optional({
    ...described(
      OneOf('private', 'tenant'),
      'tenant: memories of the whole tenant; private: the own private ones.',
    ),
    default: 'tenant',
  }),
  window: Type.Optional({
    ...Period,
    description: 'Memories of this period; default: those recorded since the last run.',
  } as typeof Period),
  targets: Type.Optional(
    Type.Array(OneOf(...targets_all), {
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
      description: 'What to make: episodes, facts, procedures; default all.',
    }),
  ),
  min_support: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 100,
      default: 3,
      description: 'How often something must be seen to become knowledge.',
    }),
  ),
  max_cells: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000, description: 'Memories examined at most.' }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'Returns the result without storing anything.' }),
  ),
})
export type ConsolidateInput = Static<typeof ConsolidateInput>

export const ConsolidateOutput = Closed({
  consolidation_ref: Type.Optional(described(Ref, 'Reference of the stored result; absent after dry_run.')),
  examined: Type.Integer({ minimum: 0, description: 'Number of memories examined.' }),
  promoted: described(Refs, 'Working memories that became episodic.'),
  episodes: described(
    ListOf(
      Closed({
        episode_ref: Type.Optional(described(Ref, 'Reference of the new memory; absent after dry_run.')),
        cells: described(Refs, 'Memories it consists of.'),
        from: described(Timestamp, 'When its first memory happened.'),
        to: described(Timestamp, 'When its last memory happened.'),
        silhouette: Type.Number({
          minimum: -1,
          maximum: 1,
          description: 'How clearly its memories belong together, -1 to 1.',
        }),
        name: Type.Optional(Type.String({ description: 'Proposed by a model; not verified.' })),
      }),
      0,
      cells_listed_max,
    ),
    'Memories that belong together in time and content.',
  ),
  semantic_created: described(
    ListOf(
      Closed({
        ref: Type.Optional(described(Ref, 'Reference of the new memory; absent after dry_run.')),
        support: Support,
        confidence: described(Share, 'How sure it is, 0 to 1.'),
      }),
      0,
      1_000,
    ),
    'Facts seen often enough to become memories.',
  ),
  procedural_created: described(
    ListOf(
      Closed({
        ref: Type.Optional(described(Ref, 'Reference of the new memory; absent after dry_run.')),
        steps: described(ListOf(Type.String(), 3, 12), 'Operations in order.'),
        support: Support,
        recipe_id: described(Hash, 'Draft of a recipe with these steps.'),
      }),
      0,
      1_000,
    ),
    'Sequences of calls that succeeded often enough to become procedures.',
  ),
  archived: described(Refs, 'Memories unused for long; they rank lower and are never deleted.'),
  conflicts: described(
    ListOf(
      Closed({
        fact_ref: described(Ref, 'The new fact.'),
        against: described(ListOf(Ref, 0, 1_000), 'Facts it contradicts.'),
      }),
      0,
      1_000,
    ),
    'New facts that contradict surer ones.',
  ),
  watermark: Type.Union([Timestamp, Type.Null()], {
    description: 'Next run without window starts here; null: there was none.',
  }),
  truncated: Type.Boolean({ description: 'There are more than max_cells cells: call again.' }),
  dry_run: Type.Boolean({ description: 'Whether nothing was stored.' }),
})

export async function consolidateMemory(
  input: ConsolidateInput,
  context: OperationContext<'audit_log' | 'compute' | 'embedder' | 'model' | 'tokens' | 'vault'>,
): Promise<Static<typeof ConsolidateOutput>> {
  const { namespace = 'default', scope = 'tenant', min_support = 3, max_cells = 1_000 } = input
  const { dry_run = false, window } = input
  const targets: ReadonlySet<Target> = new Set(input.targets ?? targets_all)
  requireWindow(window)
  context.takePath('protocol')
  // What is derived has the readers of what it is derived from, so a run never mixes them.
  const readers = readersOf({ scope }, 'semantic', context.caller.did)
  const namespace_key = namespaceKey(context, namespace, readers)
  const run: Run = { namespace, namespace_key, readers, min_support, dry_run }
  const watermark = await beginRun(context, namespace_key)
  const with_working = targets.has('episodic')
  const looking = { namespace_key, readers, window, watermark, max_cells, with_working }
  const gathered = await gather(context, looking)
  const experience = dry_run ? gathered : await readByModel(context, gathered)
  const fresh = experience.cells.filter(({ is_known }) => !is_known)
  const sessions = targets.has('procedural') ? await readSessions(context, window, readers) : []
  const { clusters, sequences } = await reckon(
    context,
    await taskOf(context, fresh, experience.contents, sessions, min_support),
  )
  const episodes = targets.has('episodic')
    ? await makeEpisodes(context, episodesOf(clusters, fresh), experience.contents, run)
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
  return await keepResult(context, run, result)
}

async function keepResult(
  context: OperationContext<'embedder' | 'vault'>,
  { readers }: Run,
  result: Found,
): Promise<Static<typeof ConsolidateOutput>> {
  const consolidation_ref = `mantle://consolidation/${context.newId()}`
  await keepContent(context, { ref: consolidation_ref, kind: 'consolidation', body: result, readers })
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
  { dry_run, readers }: Run,
): Promise<readonly Episode[]> {
  if (dry_run) return all_episodes
  const { episodes, is_asked } = await nameUnclear(context, all_episodes, contents)
  if (is_asked) context.takePath('agent')
  return await keepEpisodes(context, episodes, readers)
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
