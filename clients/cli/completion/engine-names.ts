// Names of an engine beyond the catalogue, from its public directory, for completions; none on any error.
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { readBounded } from '../calls/read-bounded.ts'
import { common_flags, type Terminal } from '../command.ts'
import { harmless } from '../output/harmless-text.ts'
import { findSources } from '../setting-sources.ts'

/** Better no offers than a shell that hangs. */
const answer_ms_max = 500
const protocol_form = /^[A-Za-z][A-Za-z0-9]{0,62}$/
const operation_form = /^[a-z][a-z0-9_.]{0,127}$/

export interface EngineProtocol {
  readonly id: string
  readonly summary: string
  readonly operations: readonly string[]
}

/** `words` were typed so far: their flags may name another engine. */
export async function engineNames(words: readonly string[], terminal: Terminal): Promise<EngineProtocol[]> {
  try {
    const { values } = parseArgs({ args: [...words], options: common_flags, strict: false })
    const api_url = findSources(values, terminal).api_url?.value
    if (api_url === undefined) return []
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(answer_ms_max)])
    const url = `${api_url.endsWith('/') ? api_url.slice(0, -1) : api_url}/v1/protocols`
    const answer = await terminal.fetch(url, { redirect: 'manual', signal })
    if (!answer.ok || !answer.body) return []
    const { protocols } = JSON.parse(await readBounded(Readable.fromWeb(answer.body), url)) as {
      protocols?: unknown
    }
    return Array.isArray(protocols) ? protocols.flatMap(readProtocol) : []
  } catch {
    // Completions never print errors.
    return []
  }
}

/** Only names that need no shell quoting. */
function readProtocol(listing: Partial<Record<keyof EngineProtocol, unknown>>): EngineProtocol[] {
  const { id, summary, operations } = listing
  if (typeof id !== 'string' || !protocol_form.test(id) || !Array.isArray(operations)) return []
  const typeable = operations.filter((name) => typeof name === 'string' && operation_form.test(name))
  return [{ id, summary: harmless(String(summary ?? '')), operations: typeable }]
}
