// MACS update_identity: a new version of what an identity's document declares, signed by its key.
import { AgentCapability } from '@svc/contract/authority/capability'
import { documentInput } from '@svc/contract/identity/identity-document'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, ListOf, OneOf, Signature, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { capabilitiesFor, ownedBy, ServiceEndpoint } from './derivation.ts'
import { momentOf, nextDocument, publishChanged, requireOwn, subjectOf } from './key-life.ts'

export const UpdateInput = Closed({
  agent_did: Type.Optional(
    Type.String({ ...Did, description: 'Default: yourself. Or a descendant of yours.' }),
  ),
  name: Type.Optional(Text(128, { description: 'New name; absent: unchanged.' })),
  capabilities: Type.Optional(
    described(
      ListOf(AgentCapability, 0, 128),
      'All it shall declare; never more than its parent holds. Absent: unchanged.',
    ),
  ),
  service_endpoints: Type.Optional(
    described(ListOf(ServiceEndpoint, 0, 16), 'All its endpoints; absent: unchanged.'),
  ),
  at: Type.Optional(Type.String({ ...Timestamp, description: 'As answered with the text to sign.' })),
  document_proof: Type.Optional(
    Type.String({ ...Signature, description: 'Of document_signing_input, unless the engine keeps its key.' }),
  ),
})

export const UpdateOutput = Closed({
  agent_did: described(Did, 'The identity.'),
  state: described(
    OneOf('unsigned', 'updated'),
    'unsigned: sign document_signing_input and call again with document_proof.',
  ),
  document_version: Type.Integer({ minimum: 1, description: 'Version of its document with this change.' }),
  document_hash: Type.Optional(described(Hash, 'Hash of that document; absent while unsigned.')),
  document_signing_input: Type.Optional(
    Type.String({ description: 'Text for its key to sign; absent once done.' }),
  ),
  capabilities: described(ListOf(AgentCapability, 0, 128), 'What it declares with this change.'),
  at: described(Timestamp, 'Time of this change; send it with document_proof.'),
})

export async function updateIdentity(
  input: Static<typeof UpdateInput>,
  context: OperationContext<'authority' | 'custody' | 'publishIdentity' | 'readIdentity'>,
): Promise<Static<typeof UpdateOutput>> {
  const did = input.agent_did ?? context.caller.did
  await requireOwn(did, context)
  const subject = await subjectOf(did, context)
  if (subject.document.revoked) throw revoked()
  const { name, service_endpoints } = input
  const at = momentOf(input.at, context.now)
  const capabilities = await declared(did, input, context)
  const document = nextDocument(subject, at, {
    ...(name !== undefined && { name }),
    ...(service_endpoints && { service_endpoints }),
    ...(capabilities && { capabilities }),
  })
  const shown = { agent_did: did, capabilities: document.capabilities, at }
  const text = documentInput(document)
  const proof = input.document_proof ?? (await context.custody.sign(did, text))?.signature
  if (proof === undefined)
    return { ...shown, state: 'unsigned', document_version: document.version, document_signing_input: text }
  const published = await publishChanged(subject, { document, events: subject.events, proof }, context)
  context.audit('IdentityUpdated', {
    agent_did: did,
    changed: (['name', 'capabilities', 'service_endpoints'] as const).filter(
      (field) => input[field] !== undefined,
    ),
    ...published,
  })
  return { ...shown, state: 'updated', ...published }
}

/** Never more than the caller has itself: an identity gives up capabilities, its parent may add its own. */
async function declared(
  did: string,
  { capabilities }: Static<typeof UpdateInput>,
  context: OperationContext<'authority'>,
): Promise<AgentCapability[] | undefined> {
  if (!capabilities) return undefined
  const { held } = await context.authority.ofCaller()
  const own = ownedBy(held, context.now)
  // What a key adds is the operator's, and must not become the identity's own.
  const sources = did === context.caller.did ? own.filter(({ source }) => source === 'declared') : own
  return capabilitiesFor(capabilities, sources)
}

function revoked() {
  return refuse('policy_denied', 'This identity has revoked itself for good; make a new one.', {
    reason: 'identity revoked',
  })
}
