// What operations think with: threads, vectors, tokens and, where one is configured, a model.
import { WorkerPool } from '@svc/adapters/compute/worker-pool'
import { remoteEmbedder } from '@svc/adapters/embeddings/remote'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { openAiModel } from '@svc/adapters/model/openai'
import { tokenCounter } from '@svc/adapters/tokens/token-counter'
import type { Faculties } from '@svc/contract/faculties'
import type { Clock } from '@svc/engine/ports'
import type { FacultySettings } from './faculty-settings.ts'

export function openFaculties(
  { model, embeddings }: FacultySettings,
  clock: Clock,
  closing: (() => Promise<unknown>)[],
): Faculties {
  const pool = new WorkerPool(clock)
  const { countTokens, close } = tokenCounter(clock)
  closing.push(() => pool.close(), close)
  return {
    embedder: embeddings ? remoteEmbedder(embeddings) : static_embedder,
    model: model && openAiModel(model),
    compute: pool.compute,
    countTokens,
  }
}
