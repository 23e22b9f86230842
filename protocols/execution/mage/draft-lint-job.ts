// Checks that bytes match their media type; on a worker thread if they are large.
import { schemaFault } from '@svc/contract/foreign/tool-schema'
import { type ArtifactKind, isJson, isJsonLines } from './artifact-kind.ts'

const faults_max = 20

export interface CheckedText {
  readonly kind: ArtifactKind
  readonly media_type: string
  readonly text: string
}

/** The faults as sentences; empty if it is valid, or its format cannot be checked. */
export function compute({ kind, media_type, text }: CheckedText): string[] {
  if (isJsonLines(media_type)) return faultsOfLines(text)
  if (!isJson(media_type)) return []
  const read = readJson(text)
  if (read.fault !== undefined) return [`It is not JSON: ${read.fault}.`]
  const fault = kind === 'schema' ? schemaFault(read.value) : undefined
  return fault === undefined ? [] : [`It is no JSON Schema: ${fault}.`]
}

function faultsOfLines(text: string): string[] {
  const faults: string[] = []
  for (const [place, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const { fault } = readJson(line)
    if (fault !== undefined) faults.push(`Line ${place + 1} is not JSON: ${fault}.`)
    if (faults.length >= faults_max) break
  }
  return faults
}

function readJson(text: string): { readonly value?: unknown; readonly fault?: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    // The engine quotes the input; the position is enough.
    return { fault: (error as Error).message.replace(/,? ?"[\s\S]*"(\.\.\.)? ?/, ' ').trim() }
  }
}
