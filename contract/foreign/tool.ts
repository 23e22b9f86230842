// A tool as listed in the catalogue, and its definition. The publisher signs the listing, whose digest pins the definition.
import { type Static, Type } from 'typebox'
import {
  AnyObject,
  CapabilityName,
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
} from '../schema.ts'
import { canonicalJson, contentHash } from '../signing/canonical-json.ts'
import { isKeyOf, isSignedBy, type SigningKey, signingInput, signText } from '../signing/signature.ts'
import { schemaFault } from './tool-schema.ts'

export const definition_bytes_max = 64 * 1024

export const ToolKind = described(
  OneOf('tool', 'skill', 'workflow', 'model', 'dataset'),
  'What the entry is.',
)
export const ToolId = Type.String({
  pattern: '^[a-z0-9][a-z0-9._/-]{0,127}$',
  description: 'Permanent name of a tool, e.g. acme/summarize.',
})
/** Beside published ones: operations of the engine, and approved tools of MCP servers. */
export const ListedToolId = Type.String({
  pattern:
    '^([a-z0-9][a-z0-9._/-]{0,127}|svc/[a-z][a-z0-9_.]{0,191}|mcp/[a-z][a-z0-9_-]{0,63}/[A-Za-z0-9_.-]{1,128})$',
  description:
    'acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT.',
})
export const ToolVersion = Type.String({
  pattern: '^v\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}(-[0-9A-Za-z-]{1,32}(\\.[0-9A-Za-z-]{1,32}){0,7})?$',
  description: 'A semantic version, e.g. v1.2.0.',
})
export const ToolTag = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,31}$',
  description: 'Short word to find it by.',
})
/** As MCP clients accept it. */
const ToolName = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,128}$',
  description: 'Name by which it is called.',
})

export const ToolListing = Closed({
  id: ToolId,
  name: ToolName,
  version: ToolVersion,
  kind: ToolKind,
  publisher_did: described(Did, 'Who publishes it.'),
  summary: Text(500, { description: 'What it does, in a few sentences.' }),
  digest: described(Hash, 'Hash of its definition.'),
  required_capabilities: described(ListOf(CapabilityName, 0, 64), 'Capabilities that its use needs.'),
  tags: described(ListOf(ToolTag, 0, 16), 'Short words to find it by.'),
  deprecated: Type.Boolean({ description: 'Whether its publisher advises against new use.' }),
})
export type ToolListing = Static<typeof ToolListing>

export const SignedListing = Closed({
  ...ToolListing.properties,
  publisher_public_key: Type.Optional(
    described(PublicKey, "Key that signed; absent: the publisher's first key."),
  ),
  signature: Type.Optional(described(Signature, 'Of this entry by its publisher.')),
})
export type SignedListing = Static<typeof SignedListing>

export const ToolDefinition = Closed({
  name: ToolName,
  description: Text(10_000, { description: 'What it does, for those who choose tools.' }),
  inputSchema: described(AnyObject, 'JSON Schema of its input.'),
  outputSchema: Type.Optional(described(AnyObject, 'JSON Schema of its output; absent: not declared.')),
  endpoint: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s@?#]+$',
      maxLength: 512,
      description: 'Where it is called; absent: not over the network.',
    }),
  ),
  annotations: described(AnyObject, 'What its publisher says of it, such as whether it only reads.'),
})
export type ToolDefinition = Static<typeof ToolDefinition>

export function listingInput(signed: ToolListing | SignedListing): string {
  const { publisher_public_key: _, signature: __, ...listing } = signed as SignedListing
  return signingInput('svc-tool-v1', listing)
}

export function signListing(listing: ToolListing, publisher: SigningKey): SignedListing {
  const signature = signText(publisher.private_key, listingInput(listing))
  return { ...listing, publisher_public_key: publisher.public_key, signature }
}

/** Whether the publisher signed this listing. */
export function isSignedListing(listing: SignedListing): boolean {
  const { publisher_did, publisher_public_key, signature } = listing
  if (publisher_public_key === undefined || signature === undefined) return false
  return (
    isKeyOf(publisher_did, publisher_public_key) &&
    isSignedBy(publisher_public_key, listingInput(listing), signature)
  )
}

export function definitionDigest(definition: ToolDefinition): string {
  return contentHash(definition)
}

/** Why a definition that matches its listing's digest is still unusable; undefined where it is usable. */
export function definitionFault(definition: ToolDefinition, listing: ToolListing): string | undefined {
  if (definition.name !== listing.name) return 'it bears another name than its listing'
  if (Buffer.byteLength(canonicalJson(definition)) > definition_bytes_max)
    return `it is larger than ${definition_bytes_max} bytes`
  if (hasHiddenText(definition)) return 'it holds invisible or direction-changing characters'
  if (definition.inputSchema.type !== 'object') return 'its inputSchema is not of type object'
  const input = schemaFault(definition.inputSchema)
  if (input) return `its inputSchema does not compile: ${input}`
  const output = definition.outputSchema && schemaFault(definition.outputSchema)
  return output ? `its outputSchema does not compile: ${output}` : undefined
}

// Format characters are zero-width, tags, or change the text direction: a model reads what a person cannot see.
const hidden_characters = /[\p{Cf}\p{Co}\u115f\u1160\u3164\uffa0]|[^\P{Cc}\n\r\t]/u

/** Checks every name and text inside; excessive nesting counts as hidden. */
export function hasHiddenText(value: unknown, depth_left = 64): boolean {
  if (typeof value === 'string') return hidden_characters.test(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth_left === 0) return true
  return Object.entries(value).some(
    ([name, member]) => hidden_characters.test(name) || hasHiddenText(member, depth_left - 1),
  )
}
