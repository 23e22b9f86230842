// Stores episodes: which memories belong together, and a name for unclear ones.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { keepContent, linkContent, type Readers, type StoredContent } from '../content/api.ts'
import type { CellRow } from './consolidation-store.ts'
import { keepMembers } from './consolidation-store.ts'
import type { Cluster } from './episode-clustering.ts'

const silhouette_clear = 0.1
const named_max = 10
const name_length_max = 80
const text_length_max = 4_000
const tokens_out_max = 64

export interface Episode {
  readonly episode_ref?: string
  readonly cells: string[]
  readonly from: string
  readonly to: string
  readonly silhouette: number
  /** Proposed by a model. */
  readonly name?: string
}

export function episodesOf(clusters: readonly Cluster[], cells: readonly CellRow[]): Episode[] {
  return clusters.map(({ members, silhouette }) => {
    const times = members.map((at) => cells[at]!.occurred_at.getTime())
    return {
      cells: members.map((at) => cells[at]!.ref),
      from: new Date(Math.min(...times)).toISOString(),
      to: new Date(Math.max(...times)).toISOString(),
      silhouette,
    }
  })
}

/** A single memory is an episode, but nothing is stored for it. */
export async function keepEpisodes(
  context: OperationContext<'embedder' | 'vault'>,
  episodes: readonly Episode[],
  readers: Readers,
): Promise<Episode[]> {
  const stored: Episode[] = []
  for (const episode of episodes) {
    if (episode.cells.length === 1) {
      stored.push(episode)
      continue
    }
    const episode_ref = `mind://episode/${context.newId()}`
    const content = { ref: episode_ref, kind: 'episode', body: episode, valid_from: episode.from, readers }
    await keepContent(context, content)
    const parts = episode.cells.map((ref) => ({ ref }))
    await linkContent(context, episode_ref, parts, 'derived_from')
    stored.push({ ...episode, episode_ref })
  }
  const members = stored.flatMap(({ cells, episode_ref = null }) =>
    cells.map((cell_ref) => ({ cell_ref, episode_ref })),
  )
  await keepMembers(context, members)
  return stored
}

/** A model names episodes without a clear topic. Without a model, or if it fails, they have no name. */
export async function nameUnclear(
  context: OperationContext<'model' | 'tokens'>,
  episodes: readonly Episode[],
  contents: ReadonlyMap<string, StoredContent>,
): Promise<{ readonly episodes: readonly Episode[]; readonly is_asked: boolean }> {
  const { model } = context
  const unclear = episodes.filter(
    ({ cells, silhouette }) => cells.length > 1 && silhouette < silhouette_clear,
  )
  if (!model || unclear.length === 0) return { episodes, is_asked: false }
  const names = new Map<Episode, string>()
  for (const episode of unclear.slice(0, named_max)) {
    const texts = episode.cells.map((ref) => contents.get(ref)?.index?.text ?? '')
    const name = await askName(context, model, texts.join('\n').slice(0, text_length_max))
    if (name) names.set(episode, name)
  }
  const named = episodes.map((episode) => {
    const name = names.get(episode)
    return name ? { ...episode, name } : episode
  })
  return { episodes: named, is_asked: true }
}

async function askName(
  context: OperationContext<'tokens'>,
  model: NonNullable<OperationContext<'model'>['model']>,
  text: string,
): Promise<string | undefined> {
  try {
    const { value, tokens_in, tokens_out } = await model.propose(
      {
        instructions: `Name what these notes have in common, in at most ${name_length_max} characters.`,
        text,
        schema: {
          type: 'object',
          properties: { name: { type: 'string', minLength: 1, maxLength: name_length_max } },
          required: ['name'],
          additionalProperties: false,
        },
        tokens_out_max,
      },
      context.signal,
    )
    context.tokens.use(tokens_in, tokens_out)
    return String((value as { name: unknown }).name).slice(0, name_length_max)
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.code === 'adapter_error') return undefined
    throw thrown
  }
}
