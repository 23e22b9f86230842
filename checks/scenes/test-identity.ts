// Identities with their own keys, documents and lineage, for tests that need real signatures.
import { generateKeyPairSync } from 'node:crypto'
import {
  type IdentityDocument,
  signDocument,
  type UnsignedDocument,
} from '@svc/contract/identity/identity-document'
import {
  childDid,
  type LineageStatement,
  signStatement,
  type UnsignedStatement,
} from '@svc/contract/identity/lineage'
import { publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'

export interface TestIdentity extends SigningKey {
  readonly entity_kind: string
}

export function newSubject(entity_kind: string, tenant_id = 'acme'): TestIdentity {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = publicKeyOf(private_key)
  return { did: childDid(tenant_id, entity_kind, public_key), public_key, private_key, entity_kind }
}

export function documentOf(subject: TestIdentity, more: Partial<UnsignedDocument> = {}): IdentityDocument {
  const { did: id, entity_kind, public_key } = subject
  const nothing = { lineage: [], capabilities: [], service_endpoints: [], extended: {} }
  const first = { revoked: false, version: 1, updated_at: '2026-11-01T00:00:00Z' }
  return signDocument({ id, entity_kind, public_key, ...nothing, ...first, ...more }, subject)
}

export function descend(
  child: TestIdentity,
  parent: SigningKey,
  more: Partial<UnsignedStatement> = {},
): LineageStatement {
  const unsigned = {
    child_did: child.did,
    child_public_key: child.public_key,
    parent_did: parent.did,
    parent_public_key: parent.public_key,
    entity_kind: child.entity_kind,
    label: 'test',
    index: 0,
    created_at: '2026-11-01T00:00:00Z',
    ...more,
  }
  return signStatement(unsigned, parent)
}
