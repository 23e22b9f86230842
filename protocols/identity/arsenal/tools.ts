// Answers of the tool catalogue, checked against publishers' signatures and digests.

import {
  definitionDigest,
  definitionFault,
  hasHiddenText,
  isSignedListing,
  SignedListing,
  ToolDefinition,
} from '@svc/contract/foreign/tool'
import type { PublisherTrust } from '@svc/contract/needs/remote'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { Compile } from 'typebox/compile'
import { isHere } from './tool-ids.ts'

export interface Tool {
  readonly listing: SignedListing
  readonly definition: ToolDefinition
  /** The version before it, of the same publisher. */
  readonly previous?: SignedListing
}

const tools_kept_max = 500
const cursor_chars_max = 512

/** Compiled on first use, so that the engine starts faster. */
let checks: ReturnType<typeof compileChecks> | undefined
const compileChecks = () => ({ listing: Compile(SignedListing), definition: Compile(ToolDefinition) })
function isListing(value: unknown): value is SignedListing {
  checks ??= compileChecks()
  return checks.listing.Check(value)
}
function isDefinition(value: unknown): value is ToolDefinition {
  checks ??= compileChecks()
  return checks.definition.Check(value)
}

/** Keyed by id and digest: content is immutable per digest, so a verified tool is valid for all tenants. */
const tool_cache = new Map<string, Tool>()

export function storedTool(id: string, digest: string | undefined): Tool | undefined {
  return digest === undefined ? undefined : tool_cache.get(`${id} ${digest}`)
}

function keep(tool: Tool): void {
  const oldest = tool_cache.keys().next()
  if (tool_cache.size >= tools_kept_max && !oldest.done) tool_cache.delete(oldest.value)
  tool_cache.set(`${tool.listing.id} ${tool.listing.digest}`, tool)
}

/** The visible entries of a page, and the number of hidden ones. */
export function readPage(
  answer: unknown,
  limit: number,
  trust: PublisherTrust,
): { items: SignedListing[]; next_cursor?: string; rejected: number } {
  const { items, next_cursor } = asObject(answer)
  if (!Array.isArray(items) || items.length > limit) throw badAnswer('an invalid page of tools')
  const is_cursor = typeof next_cursor === 'string' && next_cursor.length <= cursor_chars_max
  if (next_cursor !== undefined && !is_cursor) throw badAnswer('an invalid cursor')
  const shown = items.filter((item) => isListing(item) && !isHere(item.id) && mayBeShown(item, trust))
  return { items: shown, next_cursor, rejected: items.length - shown.length }
}

function mayBeShown(listing: SignedListing, { require_signatures }: PublisherTrust): boolean {
  const is_unsigned = listing.signature === undefined
  if (is_unsigned && require_signatures) return false
  return !hasHiddenText(listing) && (is_unsigned || isSignedListing(listing))
}

export interface WantedTool {
  readonly id: string
  readonly version?: string
  readonly digest?: string
}

/** The requested definition, complete and harmless; otherwise a refusal. */
export function readTool(answer: unknown, request: WantedTool, context: OperationContext): Tool {
  const { tool, previous } = asObject(answer)
  if (tool === null) throw notFound('tool', request.id)
  const { listing, definition } = asObject(tool)
  if (!isListing(listing) || !isDefinition(definition)) throw badAnswer('no tool')
  requireDigest(listing, definition, request, context)
  if (!isWanted(listing, request)) throw badAnswer(`a tool other than ${request.id}`)
  const fault = hasHiddenText(listing)
    ? 'it contains invisible or direction-changing characters'
    : definitionFault(definition, listing)
  if (fault) throw badAnswer(`a definition of ${listing.id} that cannot be used (${fault})`)
  const read = { listing, definition, ...(isBefore(previous, listing) && { previous }) }
  if (isSignedListing(listing)) keep(read)
  return read
}

/** A node that names none, or names another's, names none. */
function isBefore(previous: unknown, { id, publisher_did }: SignedListing): previous is SignedListing {
  if (!isListing(previous) || previous.id !== id || previous.publisher_did !== publisher_did) return false
  return isSignedListing(previous)
}

export function requireDigest(
  listing: Pick<SignedListing, 'digest'>,
  definition: ToolDefinition,
  tool: WantedTool,
  context: OperationContext,
): void {
  const digest = definitionDigest(definition)
  const pinned = tool.digest ?? listing.digest
  if (digest === listing.digest && digest === pinned) return
  context.alarm('digest mismatch', { tool_id: tool.id, listed: listing.digest, pinned, digest })
  throw refuse(
    'adapter_error',
    `The definition of ${tool.id} does not match the digest it was listed or pinned with; do not use it.`,
    { reason: 'digest mismatch' },
  )
}

export function isWanted({ id, version }: SignedListing, tool: WantedTool): boolean {
  if (id !== tool.id) return false
  if (tool.version === undefined) return true
  return version === tool.version || (!tool.version.includes('.') && version.startsWith(`${tool.version}.`))
}

/** Whether the publisher signed the tool and is trusted; refuses if this engine requires both. */
export function judgePublisher(
  { listing }: Tool,
  { require_signatures, trusted }: PublisherTrust,
  context: OperationContext,
): { signature_valid: boolean; trusted_publisher: boolean } {
  const signature_valid = isSignedListing(listing)
  const trusted_publisher = signature_valid && trusted.includes(listing.publisher_did)
  if (!signature_valid && (require_signatures || listing.signature !== undefined)) {
    context.alarm('tool signature invalid', { tool_id: listing.id, publisher_did: listing.publisher_did })
    throw denied(listing, 'signature invalid', 'it has no valid signature of its publisher')
  }
  if (!trusted_publisher && require_signatures)
    throw denied(listing, 'publisher not trusted', 'the operator of this engine does not trust its publisher')
  return { signature_valid, trusted_publisher }
}

function denied({ id, version, publisher_did }: SignedListing, reason: string, why: string): Refusal {
  return refuse('policy_denied', `${id} ${version} by ${publisher_did} is refused: ${why}.`, {
    reason,
    denying_policy: 'require_signatures',
  })
}

function asObject(answer: unknown): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
  throw badAnswer('a value that is not an object')
}

function badAnswer(what: string): Refusal {
  return refuse('adapter_error', `The tool catalogue answered ${what}; ask its operator to investigate.`, {
    reason: 'bad answer',
  })
}
