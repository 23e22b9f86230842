import {
  type SignedListing,
  ToolDefinition,
  ToolId,
  ToolKind,
  ToolListing,
  ToolTag,
} from '@svc/contract/foreign/tool'
import type { PublisherTrust } from '@svc/contract/needs/remote'
import { operation, protocol } from '@svc/contract/protocol'
import { CapabilityName, Closed, Did, Hash, ListOf, Text } from '@svc/contract/schema'
import { Type } from 'typebox'
import { remoteSide } from '../oas/api.ts'
import { isWanted, judgePublisher, readPage, readTool, storedTool } from './tools.ts'

const page_default = 25
const page_max = 100

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
      needs: ['remote'],
      input: Closed({
        kind: Type.Optional(ToolKind),
        query: Type.Optional(Text(200, { description: 'Search terms; supports "a phrase", or, and -not.' })),
        tag: Type.Optional(ToolTag),
        publisher_did: Type.Optional(Did),
        capability: Type.Optional(CapabilityName),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: page_max, default: page_default })),
        cursor: Type.Optional(Text(512)),
      }),
      output: Closed({
        items: ListOf(ToolListing, 0, page_max),
        next_cursor: Type.Optional(Type.String()),
        rejected: Type.Integer({
          minimum: 0,
          description: 'Number of entries on this page without a valid signature.',
        }),
      }),
      example: { kind: 'tool', query: 'summarize', limit: 10 },

      async handle(input, context) {
        const remote = remoteSide('Arsenal', context)
        const limit = input.limit ?? page_default
        const answer = await remote.invoke('list', { ...input, limit })
        const { items, next_cursor, rejected } = readPage(answer, limit, trustOf(remote.publishers))
        return { items: items.map(withoutSignature), next_cursor, rejected }
      },
    }),

    fetch: operation({
      summary: 'Get one definition; its digest and publisher are verified.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds'],
      needs: ['remote'],
      input: Closed({
        id: ToolId,
        version: Type.Optional(
          Type.String({
            pattern:
              '^v?\\d{1,6}(\\.\\d{1,6}\\.\\d{1,6}(-[0-9A-Za-z-]{1,32}(\\.[0-9A-Za-z-]{1,32}){0,7})?)?$',
            description: 'A full version, or a major such as v1 for its newest release.',
          }),
        ),
        digest: Type.Optional(Hash),
      }),
      output: Closed({
        definition: ToolDefinition,
        digest: Hash,
        id: ToolId,
        version: Type.String(),
        publisher_did: Did,
        signature_valid: Type.Boolean(),
        trusted_publisher: Type.Boolean(),
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
        const remote = remoteSide('Arsenal', context)
        const cached_tool = storedTool(id, digest)
        const tool =
          cached_tool && isWanted(cached_tool.listing, request)
            ? cached_tool
            : readTool(await remote.invoke('fetch', request), request, context)
        const judged = judgePublisher(tool, trustOf(remote.publishers), context)
        const { listing, definition } = tool
        const { publisher_did } = listing
        return { definition, digest: listing.digest, id, version: listing.version, publisher_did, ...judged }
      },
    }),
  },
})

/** Without configured publishers none is trusted. */
function trustOf(publishers: PublisherTrust | undefined): PublisherTrust {
  return publishers ?? { require_signatures: true, trusted: [] }
}

function withoutSignature({
  publisher_public_key: _,
  signature: __,
  ...listing
}: SignedListing): ToolListing {
  return listing
}
