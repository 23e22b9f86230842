// What operations think with: workers, vectors, tokens and, where one is configured, a model.
import { WorkerPool } from '@svc/adapters/compute/worker-pool'
import { vaults } from '@svc/adapters/custody/vault'
import { remoteEmbedder } from '@svc/adapters/embeddings/remote'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { openMailRoom } from '@svc/adapters/mail/mail-room'
import { openAiModel } from '@svc/adapters/model/openai'
import { tokenCounter } from '@svc/adapters/tokens/token-counter'
import { McpPool } from '@svc/adapters/tools/mcp-pool'
import type { Devices } from '@svc/contract/needs/devices'
import type { Faculties } from '@svc/contract/needs/faculties'
import type { News } from '@svc/contract/needs/news'
import type { Clock } from '@svc/engine/ports'
import type { Config } from '../settings/config.ts'
import type { FacultySettings } from '../settings/faculty-settings.ts'

export function openFaculties(
  config: FacultySettings & Pick<Config, 'master_key' | 'allowed_networks' | 'tls_ca'>,
  clock: Clock,
  news: News,
  devices: Devices,
  closing: (() => Promise<unknown>)[],
): Omit<Faculties, 'vitals' | 'roster'> {
  const { model, embeddings, message_bytes_max, master_key } = config
  const pool = new WorkerPool(clock)
  const tools = new McpPool(config, clock)
  const { countTokens, close } = tokenCounter(clock)
  closing.push(
    () => tools.close(),
    () => pool.close(),
    close,
  )
  return {
    embedder: embeddings ? remoteEmbedder(embeddings) : static_embedder,
    model: model && openAiModel(model),
    compute: pool.compute,
    countTokens,
    mail: openMailRoom({ message_bytes_max, vaultOf: vaults(master_key) }),
    devices,
    news,
    tools,
  }
}
