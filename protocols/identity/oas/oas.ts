import { AgentEntityKind, ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { documentHash, IdentityDocument } from '@svc/contract/identity/identity-document'
import { LineageStatement, lineage_depth_max } from '@svc/contract/identity/lineage'
import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { AnyObject, Closed, Did, described, Hash, ListOf, OneOf } from '@svc/contract/schema'
import { Type } from 'typebox'
import { askLineage, askResolve, judgeLineage, outcomeOf } from './resolution.ts'

/** Fields beyond the named ones are the subject's own. */
const PublishedDocument = Closed({
  ...IdentityDocument.properties,
  extended: described(AnyObject, 'Sections that others signed, such as attestations.'),
})

export const oas = protocol({
  id: 'OAS',
  version: 'v1.0.0',
  plane: 'identity',
  estate: 'adapter',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Identity documents of the open standard, fetched from its node and verified here.',

  operations: {
    resolve: operation({
      summary: 'Fetch the identity document of a DID and verify its proof.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      open_to: 'self',
      needs: ['authority', 'remote'],
      input: Closed({
        did: described(Did, 'Whose document to fetch.'),
        accept_stale_seconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 86_400,
            default: 0,
            description:
              'How stale a cached document may be while the node is unreachable, beyond the cache’s minute.',
          }),
        ),
      }),
      output: Closed({
        outcome: described(
          OneOf('Resolved', 'Partial', 'Failed'),
          'Partial: its lineage is not proven. Failed: no valid document.',
        ),
        document: Type.Optional(described(PublishedDocument, 'The document; absent if none is valid.')),
        document_hash: Type.Optional(described(Hash, 'Hash of the document.')),
        identity: described(ResolvedAgentIdentity, 'The identity as this engine judges it.'),
        warnings: described(ListOf(Type.String()), 'What could not be verified, in words.'),
      }),
      example: { did: stand_ins.did, accept_stale_seconds: 60 },

      async handle({ did, accept_stale_seconds = 0 }, context) {
        const { document, stale_seconds } = await askResolve(did, accept_stale_seconds, context)
        // As in stage 0: with revocations, stored lineage and this engine's trusted issuers.
        const { identity } = await context.authority.of(did)
        const { outcome, warnings } = outcomeOf(document, identity, context.now)
        if (stale_seconds > 0) warnings.push(`stale by ${stale_seconds} s: the node is unreachable`)
        const document_hash = document && documentHash(document)
        return { outcome, document, document_hash, identity, warnings }
      },
    }),

    verify_lineage: operation({
      summary: 'Ask whether a DID is anchored in a human or an organization.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['authority', 'lineages', 'remote'],
      input: Closed({
        did: described(Did, 'Whose lineage to check.'),
        lineage: Type.Optional(
          described(
            ListOf(LineageStatement, 0, lineage_depth_max),
            'Statements from it up to a root; default: those of its document.',
          ),
        ),
      }),
      output: Closed({
        verified: Type.Boolean({ description: 'Whether its descent from a root is proven.' }),
        depth: Type.Integer({
          minimum: 0,
          description: 'Number of statements between the identity and the root.',
        }),
        root_did: Type.Optional(described(Did, 'Root it descends from; absent: not proven.')),
        root_kind: Type.Optional(described(AgentEntityKind, 'Kind of that root.')),
        chain: described(
          ListOf(Did, 1, lineage_depth_max + 1),
          'DIDs from the identity towards the root, as far as proven.',
        ),
        broken_at: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'Step at which the proof fails, counted from the identity; absent: none.',
          }),
        ),
        reason: Type.Optional(Type.String({ description: 'Why it is not verified.' })),
        agrees: Type.Boolean({ description: 'Whether the node gave the same answer; the local one counts.' }),
      }),
      example: { did: stand_ins.did },

      async handle({ did, lineage }, context) {
        const statements = lineage ?? (await askResolve(did, 0, context)).document?.lineage ?? []
        // Without a lineage it is the identity's own that stage 0 goes by.
        const own = lineage ? undefined : await context.lineages.of(did)
        const [verdict, theirs] = await Promise.all([
          own ?? judgeLineage(did, statements, context),
          askLineage(did, statements, context),
        ])
        return { ...verdict, chain: [...verdict.chain], agrees: theirs === verdict.verified }
      },
    }),
  },
})
