// Tools of the catalogue (Arsenal), published by an operator: signed with the engine's key or with one in custody.
import { readFileSync, statSync } from 'node:fs'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { externalClient } from '@svc/adapters/endpoint/external-client'
import {
  definition_bytes_max,
  definitionDigest,
  definitionFault,
  listingInput,
  type SignedListing,
  ToolDefinition,
  ToolListing,
} from '@svc/contract/foreign/tool'
import { parseDid } from '@svc/contract/identity/did'
import { Closed } from '@svc/contract/schema'
import { signText } from '@svc/contract/signing/signature'
import { openArsenalNode } from '@svc/nodes/arsenal-node'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ConfigError } from '../settings/config-error.ts'
import { readAgentKey, readNodes } from '../settings/identity-settings.ts'
import type { Noun, Work } from './command.ts'
import { recordChange } from './record.ts'
import { operatorTenant, readOperatorKey, rootKeysOf } from './target.ts'

const node_ms_max = 5_000
const file_bytes_max = 2 * definition_bytes_max
const page_size = 100
const pages_max = 100

const { id, version, kind, summary, required_capabilities, tags } = ToolListing.properties
const ToolFile = Closed({
  id,
  version,
  kind: Type.Optional(kind),
  summary,
  required_capabilities: Type.Optional(required_capabilities),
  tags: Type.Optional(tags),
  definition: ToolDefinition,
})

export const tool: Noun = {
  publish: {
    usage: 'tool publish <file> [--did DID]',
    summary:
      'publishes a version of a tool: JSON with id, version, summary and definition; signed as the engine, or as an identity whose key it keeps',
    takes: ['did'],
    async run(work) {
      const { definition, ...terms } = readTool(work.names[0]!)
      const publisher_did = work.values.did ?? readOperatorKey(work.target).did
      const listing: ToolListing = {
        ...{ kind: 'tool' as const, required_capabilities: [], tags: [], ...terms },
        ...{ name: definition.name, publisher_did, digest: definitionDigest(definition), deprecated: false },
      }
      const fault = definitionFault(definition, listing)
      if (fault) throw new ConfigError(`${listing.id} cannot be published: ${fault}.`)
      return await publish(work, listing, definition, 'tool publish')
    },
  },
  list: {
    usage: 'tool list',
    summary: 'the published tools with version, publisher and digest, the newest version of each first',
    takes: [],
    async run(work) {
      const rows = (await listAll(work)).map(({ id, version, kind, publisher_did, digest, deprecated }) => ({
        ...{ id, version, kind, publisher_did, digest, deprecated },
      }))
      return { rows }
    },
  },
  deprecate: {
    usage: 'tool deprecate <id> <version>',
    summary: 'marks a version as deprecated, signed again by its publisher; who pinned it can still fetch it',
    takes: [],
    async run(work) {
      const [id, version] = work.names as [string, string]
      const { tool } = (await askArsenal(work, 'fetch', { id, version })) as {
        tool: { listing: SignedListing; definition: ToolDefinition } | null
      }
      if (!tool) throw new ConfigError(`There is no tool ${id} ${version}; see: svc-engine admin tool list`)
      const { publisher_public_key: _, signature: __, ...listing } = tool.listing
      return await publish(work, { ...listing, deprecated: true }, tool.definition, 'tool deprecate')
    },
  },
}

function readTool(file: string): Static<typeof ToolFile> {
  let content: unknown
  try {
    if (statSync(file).size > file_bytes_max) throw new Error(`it is larger than ${file_bytes_max} bytes`)
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`${file} cannot be read as a tool: ${(error as Error).message}.`)
  }
  const shape = Compile(ToolFile)
  if (shape.Check(content)) return content
  const [fault] = shape.Errors(content)
  const example = fault?.instancePath === '/version' ? ', such as v1.0.0' : ''
  throw new ConfigError(`${file} is not a tool: ${fault?.instancePath || '/'} ${fault?.message}${example}.`)
}

async function publish(work: Work, listing: ToolListing, definition: ToolDefinition, command: string) {
  const { operator, store, target } = work
  const signed = await sign(work, listing)
  const { id, version, digest, publisher_did } = listing
  const { published } = (await askArsenal(work, 'publish', { listing: signed, definition })) as {
    published: boolean
  }
  const namespace = parseDid(publisher_did)!.namespace
  const tenant_id = work.values.did === undefined ? operatorTenant(target) : namespace
  if (published)
    await recordChange(store.engine, operator, {
      tenant_id,
      command,
      meta: { tool_id: id, version, digest, publisher_did },
    })
  const note = published
    ? `Engines fetch it if they trust its publisher (SVC_TRUSTED_PUBLISHERS; their own identity is trusted).`
    : 'It was there already; nothing changed.'
  return { rows: [{ id, version, digest, publisher_did, deprecated: listing.deprecated, published }], note }
}

/** With the engine's own key, or the one in custody. */
async function sign(work: Work, listing: ToolListing): Promise<SignedListing> {
  const { publisher_did } = listing
  const text = listingInput(listing)
  const namespace = parseDid(publisher_did)?.namespace
  if (namespace === undefined)
    throw new ConfigError(`${publisher_did} is not a DID; write did:oas:<tenant>:<kind>:<64 hex>.`)
  const root_keys = await rootKeysOf(work.target, work.store.engine)
  const custody = openKeystore(root_keys).open(namespace, work.store.engine)
  const proof = await custody.sign(publisher_did, text)
  if (proof) return { ...listing, publisher_public_key: proof.public_key, signature: proof.signature }
  const own = readOperatorKey(work.target)
  if (own.did === publisher_did)
    return { ...listing, publisher_public_key: own.public_key, signature: signText(own.private_key, text) }
  throw new ConfigError(
    `The engine keeps no key of ${publisher_did}; its owner signs and publishes the tool.`,
  )
}

async function listAll(work: Work): Promise<SignedListing[]> {
  const listings: SignedListing[] = []
  let cursor: string | undefined
  for (let page = 0; page < pages_max; page++) {
    const request = { limit: page_size, ...(cursor !== undefined && { cursor }) }
    const answer = (await askArsenal(work, 'list', request)) as {
      items: SignedListing[]
      next_cursor?: string
    }
    listings.push(...answer.items)
    cursor = answer.next_cursor
    if (cursor === undefined) return listings
  }
  return listings
}

/** The external node where one is set, otherwise the bundled one, whose tables are in our database. */
function askArsenal({ target, operator, store }: Work, operation: string, payload: object): Promise<unknown> {
  const { clock } = operator
  const signer = readAgentKey(target.read)
  const context = {
    correlation_id: clock.uuid(),
    tenant_id: 'operator',
    agent_did: signer?.did ?? 'operator',
    timestamp: new Date(clock.now_ms()).toISOString(),
    metadata: {},
  }
  const url = readNodes(target.read).node_urls.Arsenal
  if (url === undefined)
    return openArsenalNode(store.engine).operations[operation]!.handle(payload as never, context)
  return externalClient({ protocol: 'Arsenal', url, timeout_ms: node_ms_max, signer }, clock).invoke(
    operation,
    payload,
    context,
  )
}
