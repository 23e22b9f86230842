// Field schemas that operations share. Each is JSON Schema, written once for validation, MCP, OpenAPI and docs.
import { type Static, type TEnum, type TProperties, type TSchema, Type } from 'typebox'
import { did_pattern } from './identity/did.ts'
import { tenant_id_pattern, timestamp_pattern, uuid_pattern } from './text-form.ts'

export const TenantId = Type.String({ pattern: tenant_id_pattern, description: 'Tenant id.' })
export const Did = Type.String({ pattern: did_pattern, description: 'did:oas:<tenant>:<kind>:<64 hex>' })
export const Hash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'Content address.' })
export const HexHash = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'A sha256 in lower hex.' })
export const Uuid = Type.String({ pattern: uuid_pattern, description: 'UUID in lower case.' })
export const Timestamp = Type.String({ pattern: timestamp_pattern, description: 'RFC 3339 time in UTC.' })
/** All our signatures and public keys have one form. */
export const Signature = Type.String({
  pattern: '^[A-Za-z0-9_-]{86}$',
  description: 'Ed25519 signature, 64 bytes, base64url.',
})
export const PublicKey = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'Ed25519 public key, 32 bytes, base64url.',
})
export const CapabilityName = Type.String({
  pattern: '^(svc\\.[a-z]+\\.([a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*|pre-release|\\*)|recipe-llm-compile)$',
  maxLength: 128,
  description: 'svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol.',
})
export const ConformanceLevel = described(
  OneOf('L0', 'L1', 'L2'),
  'L0: known. L1: verified lineage. L2: also attested, with a reputation.',
)
export type ConformanceLevel = Static<typeof ConformanceLevel>
export const Outcome = described(
  OneOf('success', 'refused', 'error'),
  'Refused: a rule did not allow it. Error: it failed.',
)
export const Period = Closed(
  {
    from: described(Timestamp, 'First moment of the period.'),
    to: described(Timestamp, 'End of the period, itself not included.'),
  },
  { description: 'Half-open: from <= t < to.' },
)
/** A reference such as `max://<tenant>/record/<hash>` or `mace://verdict/<hash>`. */
export const Ref = Type.String({
  pattern: '^[a-z]+://[A-Za-z0-9:._/@-]{1,240}$',
  maxLength: 256,
  description:
    'Reference to something in svc, such as max://<tenant>/record/<hash> or mace://verdict/<hash>.',
})

/** An object that refuses unknown fields: every request and response of ours is one. */
export function Closed<const P extends TProperties>(properties: P, options: Record<string, unknown> = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** One of a few strings. */
export function OneOf<V extends string>(...values: V[]): TEnum<V[]> {
  return Type.Enum(values)
}

export function Text(length_max: number, options: Record<string, unknown> = {}) {
  return Type.String({ minLength: 1, maxLength: length_max, ...options })
}

export function ListOf<T extends TSchema>(item: T, min = 0, max = 256) {
  return Type.Array(item, { minItems: min, maxItems: max })
}

export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description }
}

/** Any JSON object; for the few places whose content is the caller's own. */
export const AnyObject = Type.Record(Type.String(), Type.Unknown())
