// The reference tool catalogue: listings signed by their publishers, each version once and permanently.

import type { Database } from '@svc/contract/database'
import {
  definitionDigest,
  definitionFault,
  hasHiddenText,
  isSignedListing,
  SignedListing,
  ToolDefinition,
  ToolId,
  ToolKind,
  ToolTag,
} from '@svc/contract/foreign/tool'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, Did, Hash, Text } from '@svc/contract/schema'
import { engine_role, type Migration } from '@svc/database/migration'
import { Type } from 'typebox'
import { findPrevious, findTool, keepTool, listTools } from './arsenal-store.ts'
import { type NodeDefinition, nodeOperation } from './node-server.ts'

export const arsenal_node_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-41-arsenal-node',
    // The catalogue is public and shared, so no tenant owns a row; handlers reach it only through the node.
    sql: `
      CREATE TABLE arsenal_tools (
        id text NOT NULL,
        version text NOT NULL,
        version_key text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        kind text NOT NULL,
        publisher_did text NOT NULL,
        digest text NOT NULL,
        required_capabilities text[] NOT NULL,
        tags text[] NOT NULL,
        listing text NOT NULL,
        definition text NOT NULL,
        words tsvector NOT NULL,
        published_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (id, version)
      );
      CREATE INDEX arsenal_tools_in_order ON arsenal_tools (name, version_key DESC, id);
      CREATE INDEX arsenal_tools_newest ON arsenal_tools (id, version_key DESC);
      CREATE INDEX arsenal_tools_of_publisher ON arsenal_tools (publisher_did, name);
      CREATE INDEX arsenal_tools_words ON arsenal_tools USING gin (words);
      CREATE INDEX arsenal_tools_tags ON arsenal_tools USING gin (tags);
      CREATE INDEX arsenal_tools_capabilities ON arsenal_tools USING gin (required_capabilities);
      GRANT SELECT, INSERT, UPDATE ON arsenal_tools TO ${engine_role};
    `,
  },
]

const ListInput = Closed({
  kind: Type.Optional(ToolKind),
  query: Type.Optional(Text(200)),
  tag: Type.Optional(ToolTag),
  publisher_did: Type.Optional(Did),
  capability: Type.Optional(CapabilityName),
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Type.Optional(Text(512)),
})

const FetchInput = Closed({
  id: ToolId,
  version: Type.Optional(Type.String({ pattern: '^v\\d{1,6}(\\.\\d.*)?$', maxLength: 320 })),
  digest: Type.Optional(Hash),
})

export function openArsenalNode(db: Database): NodeDefinition {
  return {
    protocol: 'Arsenal',
    version: 'v1.0.0',
    operations: {
      list: nodeOperation(ListInput, (input) => listTools(db, input)),
      fetch: nodeOperation(FetchInput, async (input) => {
        const tool = await findTool(db, input)
        const previous = tool && (await findPrevious(db, tool.listing))
        return { tool: tool ?? null, ...(previous && { previous }) }
      }),
      publish: nodeOperation(
        Closed({ listing: SignedListing, definition: ToolDefinition }),
        async ({ listing, definition }) => {
          requireGenuine(listing, definition)
          return db.transaction((transaction) => keepTool(transaction, listing, definition))
        },
      ),
    },
  }
}

function requireGenuine(listing: SignedListing, definition: ToolDefinition): void {
  if (definitionDigest(definition) !== listing.digest) throw refused(listing, 'digest mismatch')
  if (!isSignedListing(listing)) throw refused(listing, 'signature invalid')
  if (hasHiddenText(listing)) throw refused(listing, 'it holds invisible or direction-changing characters')
  const fault = definitionFault(definition, listing)
  if (fault) throw refused(listing, fault)
}

function refused({ id, version }: SignedListing, reason: string): Refusal {
  return refuse('policy_denied', `${id} ${version} is not taken: ${reason}; publish it anew.`, { reason })
}
