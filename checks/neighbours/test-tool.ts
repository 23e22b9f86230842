// Tools signed by the test's own publisher.

import {
  definitionDigest,
  type SignedListing,
  signListing,
  type ToolDefinition,
  type ToolListing,
} from '@svc/contract/foreign/tool'
import type { SigningKey } from '@svc/contract/signing/signature'

export interface TestTool {
  readonly listing: SignedListing
  readonly definition: ToolDefinition
}

export function toolOf(
  publisher: SigningKey,
  listed: Partial<ToolListing> = {},
  defined: Partial<ToolDefinition> = {},
): TestTool {
  const name = listed.name ?? 'summarize'
  const definition = {
    name,
    description: 'Makes a long text short.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    annotations: {},
    ...defined,
  }
  const listing = {
    id: `acme/${name.toLowerCase()}`,
    name,
    version: 'v1.0.0',
    kind: 'tool' as const,
    publisher_did: publisher.did,
    summary: 'Makes a long text short.',
    digest: definitionDigest(definition),
    required_capabilities: [],
    tags: [],
    deprecated: false,
    ...listed,
  }
  return { listing: signListing(listing, publisher), definition }
}
