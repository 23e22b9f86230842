import {
  ListedToolId,
  type SignedListing,
  ToolDefinition,
  ToolKind,
  ToolListing,
  ToolTag,
} from '@svc/contract/foreign/tool'
import type { PublisherTrust } from '@svc/contract/needs/remote'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { CapabilityName, Closed, Did, described, Hash, ListOf, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { remoteSide } from '../oas/api.ts'
import { isHere } from './tool-ids.ts'
import { isWanted, judgePublisher, readPage, readTool, storedTool } from './tools.ts'
import { cursorHere, fetchHere, placeHere, type ToolHere, toolsHere } from './tools-here.ts'

const page_default = 25
const page_max = 100

const Source = Type.Enum(['published', 'built_in', 'approved'], {
  description:
    'Signed by its publisher; an operation of this engine; or approved in MAT by your organization.',
})
const ListedTool = Closed({ ...ToolListing.properties, id: ListedToolId, source: Source })
type ListedTool = Static<typeof ListedTool>

export const arsenal = protocol({
  id: 'Arsenal',
  version: 'v1.0.0',
  plane: 'identity',
  estate: 'adapter',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'The catalogue of tools and skills: signed by their publishers, pinned by digest.',

  operations: {
    list: operation({
      summary: 'Browse tools, skills, workflows, models and datasets.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['engine', 'remote', 'served', 'vault'],
      input: Closed({
        kind: Type.Optional(described(ToolKind, 'Only entries of this kind.')),
        query: Type.Optional(Text(200, { description: 'Search terms; supports "a phrase", or, and -not.' })),
        tag: Type.Optional(described(ToolTag, 'Only entries with this tag.')),
        publisher_did: Type.Optional(described(Did, 'Only entries of this publisher.')),
        capability: Type.Optional(described(CapabilityName, 'Only entries that need this capability.')),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: page_max,
            default: page_default,
            description: 'Entries per page at most.',
          }),
        ),
        cursor: Type.Optional(Text(512, { description: 'next_cursor of the previous page.' })),
      }),
      output: Closed({
        items: described(
          ListOf(ListedTool, 0, page_max),
          'Published entries by name, then the tools of this engine.',
        ),
        next_cursor: Type.Optional(Type.String({ description: 'There are more entries.' })),
        rejected: Type.Integer({
          minimum: 0,
          description: 'Number of entries on this page without a valid signature.',
        }),
      }),
      example: { kind: 'tool', query: 'summarize', limit: 10 },

      async handle(input, context) {
        const limit = input.limit ?? page_default
        const place = placeHere(input.cursor)
        const page =
          place === undefined ? await publishedPage({ ...input, limit }, context) : { items: [], rejected: 0 }
        if (page.next_cursor !== undefined) return page
        // After the catalogue come the tools of this engine.
        const own = await toolsHere(input, context)
        const from = place ?? 0
        const shown = own.slice(from, from + limit - page.items.length)
        const to = from + shown.length
        return {
          items: [...page.items, ...shown.map(({ listing }) => listing)],
          ...(to < own.length && { next_cursor: cursorHere(to) }),
          rejected: page.rejected,
        }
      },
    }),

    fetch: operation({
      summary: 'Get one definition; its digest and publisher are verified.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds'],
      needs: ['engine', 'remote', 'served', 'vault'],
      input: Closed({
        id: ListedToolId,
        version: Type.Optional(
          Type.String({
            pattern:
              '^v?\\d{1,6}(\\.\\d{1,6}\\.\\d{1,6}(-[0-9A-Za-z-]{1,32}(\\.[0-9A-Za-z-]{1,32}){0,7})?)?$',
            description: 'A full version, or a major such as v1 for its newest release.',
          }),
        ),
        digest: Type.Optional(described(Hash, 'Accept only the definition with this hash.')),
      }),
      output: Closed({
        definition: described(ToolDefinition, 'The tool as its publisher defines it.'),
        digest: described(Hash, 'Hash of the definition.'),
        id: ListedToolId,
        version: Type.String({ description: 'The version that was fetched.' }),
        publisher_did: described(Did, 'Who publishes it.'),
        source: Source,
        signature_valid: Type.Boolean({
          description: 'False for tools of this engine, which come from nowhere else and are not signed.',
        }),
        trusted_publisher: Type.Boolean({ description: 'Whether this engine trusts the publisher.' }),
        previous: Type.Optional(
          Closed(
            {
              version: Type.String({ description: 'Its version.' }),
              digest: described(Hash, 'Hash of its definition.'),
            },
            { description: 'The version before it.' },
          ),
        ),
      }),
      example: { id: 'acme/summarize', version: 'v1' },
      example_needs:
        'Let the Arsenal node list `acme/summarize`, signed by a publisher of `SVC_TRUSTED_PUBLISHERS`.',

      async handle({ id, version: requested_version, digest }, context) {
        const version =
          requested_version === undefined || requested_version.startsWith('v')
            ? requested_version
            : `v${requested_version}`
        const request = { id, ...(version ? { version } : {}), ...(digest ? { digest } : {}) }
        if (isHere(id)) return fetchedHere(await fetchHere(request, context))
        const remote = remoteSide('Arsenal', context)
        const cached_tool = storedTool(id, digest)
        const tool =
          cached_tool && isWanted(cached_tool.listing, request)
            ? cached_tool
            : readTool(await remote.invoke('fetch', request), request, context)
        const judged = judgePublisher(tool, trustOf(remote.publishers), context)
        const { listing, definition, previous } = tool
        const { publisher_did } = listing
        return {
          ...{ definition, digest: listing.digest, id, version: listing.version, publisher_did },
          ...{ source: 'published' as const, ...judged },
          ...(previous && { previous: { version: previous.version, digest: previous.digest } }),
        }
      },
    }),
  },
})

async function publishedPage(
  input: { readonly limit: number },
  context: OperationContext<'remote'>,
): Promise<{ items: ListedTool[]; next_cursor?: string; rejected: number }> {
  const remote = remoteSide('Arsenal', context)
  const answer = await remote.invoke('list', input)
  const { items, ...page } = readPage(answer, input.limit, trustOf(remote.publishers))
  return { ...page, items: items.map(withoutSignature) }
}

/** It is compared with nothing: the engine made it from what it serves, or from what was approved here. */
function fetchedHere({ listing, definition }: ToolHere) {
  const { digest, id, version, publisher_did, source } = listing
  return {
    ...{ definition, digest, id, version, publisher_did, source },
    ...{ signature_valid: false, trusted_publisher: true },
  }
}

/** Without configured publishers none is trusted. */
function trustOf(publishers: PublisherTrust | undefined): PublisherTrust {
  return publishers ?? { require_signatures: true, trusted: [] }
}

function withoutSignature({ publisher_public_key: _, signature: __, ...listing }: SignedListing): ListedTool {
  return { ...listing, source: 'published' }
}
