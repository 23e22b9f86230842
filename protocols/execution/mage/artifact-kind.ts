// The kinds of artifacts, and what a media type says about the bytes.
import { OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const artifact_kinds = ['document', 'code', 'dataset', 'schema', 'policy', 'report', 'binary'] as const
export const ArtifactKind = OneOf(...artifact_kinds)
export type ArtifactKind = Static<typeof ArtifactKind>

export const MediaType = Type.String({
  pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(;[ -~]{1,128})?$',
  description:
    'By its kind where absent: text/markdown for documents and reports, application/json for data, ' +
    'application/schema+json for schemas, text/x-cedar for policies.',
})

const media_types: Readonly<Record<ArtifactKind, string>> = {
  document: 'text/markdown',
  code: 'text/plain',
  dataset: 'application/json',
  schema: 'application/schema+json',
  policy: 'text/x-cedar',
  report: 'text/markdown',
  binary: 'application/octet-stream',
}

export function mediaTypeOf(kind: ArtifactKind): string {
  return media_types[kind]
}

export function isJson(media_type: string): boolean {
  return /^application\/json$|\+json$/.test(bare(media_type))
}

/** One JSON value per line. */
export function isJsonLines(media_type: string): boolean {
  return /^application\/(x-ndjson|jsonl|x-jsonlines)$/.test(bare(media_type))
}

export function isCedar(media_type: string): boolean {
  return /^(text|application)\/(x-|vnd\.)?cedar$/.test(bare(media_type))
}

/** Angle brackets and ampersands need escaping. */
export function isMarkup(media_type: string): boolean {
  return /\/html$|[/+]xml$/.test(bare(media_type))
}

function bare(media_type: string): string {
  return media_type.split(';')[0]!.trim().toLowerCase()
}
