// Evidence attached to query results so that readers can verify them: keys, signed notes and inclusion paths.
import { queryOf } from '@svc/audit/query/query'
import { newestCheckpoint, publicKeys } from '@svc/audit/query/records'
import { notesCovering, notesOfSizes } from '@svc/audit/tree/signed-notes'
import { inclusionProof } from '@svc/audit/tree/tree-store'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, PublicKey, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type AuditLog, proofsAgainst, provable, requireProvable } from './audit-log-proofs.ts'

const Seq = Type.Integer({ minimum: 1 })

export const InclusionProof = Closed({
  seq: described(Seq, 'Record that is proved.'),
  tree_size: described(Seq, 'Number of records in the tree the path leads to.'),
  inclusion_path: described(
    ListOf(HexHash, 0, 64),
    "RFC 6962 sibling hashes from the record's leaf to the root.",
  ),
})
type InclusionProof = Static<typeof InclusionProof>

export const SignedNote = Closed({
  size: described(Seq, 'Number of records the note covers.'),
  note: Text(16_384, { description: 'C2SP signed note: origin, size, root, signatures.' }),
})
type SignedNote = Static<typeof SignedNote>

/** As in the header of an export: each key starts where the previous one ends. */
export const ChainKey = Closed({
  key_id: Type.String({
    pattern: '^[0-9a-f]{8}$',
    description: 'Short id of the key, as signed notes name it.',
  }),
  public_key: described(PublicKey, 'The key itself, base64url.'),
  from_seq: described(Seq, 'First record signed with this key.'),
  until_seq: Type.Union([Seq, Type.Null()], { description: 'Null for the key that signs now.' }),
})

export interface EvidenceWish {
  readonly include_checkpoints?: boolean
  readonly include_proofs?: boolean
  readonly proof_report?: string
}

/** Lets a reader verify the records offline: keys, signed notes, and paths to them or to a report's root. */
export async function evidenceFor(records: readonly AuditRecord[], wish: EvidenceWish, context: AuditLog) {
  const { include_checkpoints, include_proofs, proof_report } = wish
  if (proof_report !== undefined) {
    if (include_proofs) throw oneTreeOnly()
    const proofs = await proofsAgainst(proof_report, records, context)
    return { proofs, ...(include_checkpoints ? await notesFor(records, context) : {}) }
  }
  if (!include_proofs) return include_checkpoints ? await notesFor(records, context) : {}
  const covered = await proofsToNotes(records, context)
  const shown = await notesFor(include_checkpoints ? records : [], context)
  const notes = new Map([...shown.checkpoints, ...covered.checkpoints].map((note) => [note.size, note]))
  const checkpoints = [...notes.values()].sort((a, b) => a.size - b.size)
  return { ...shown, proofs: covered.proofs, checkpoints }
}

/** Keys are read last, so that they include the signer of every note found. */
async function notesFor(records: readonly AuditRecord[], { db, tenant_id }: AuditLog) {
  const checkpoints = await notesOfSizes(
    queryOf(db),
    tenant_id,
    records.map(({ seq }) => seq),
  )
  const newest = await newestCheckpoint(db, tenant_id)
  const keys = (await publicKeys(db, tenant_id)).toReversed()
  return { keys, checkpoints, newest_checkpoint: newest && { size: newest.size, note: newest.note } }
}

/** Each record's path to the first signed note that covers it. A record without one cannot be proved. */
async function proofsToNotes(records: readonly AuditRecord[], { db, tenant_id }: AuditLog) {
  requireProvable(records)
  const query = queryOf(db)
  const seqs = records.map(({ seq }) => seq)
  const notes = await notesCovering(query, tenant_id, seqs)
  const proofs: InclusionProof[] = []
  const checkpoints: SignedNote[] = []
  for (const seq of seqs) {
    const note = notes.get(seq)
    const inclusion_path =
      note && (await provable(() => inclusionProof(query, tenant_id, seq - 1, note.size)))
    if (!note || !inclusion_path) continue
    proofs.push({ seq, tree_size: note.size, inclusion_path })
    checkpoints.push(note)
  }
  return { proofs, checkpoints }
}

function oneTreeOnly() {
  return refuse(
    'invalid_payload',
    'Proofs lead to one tree: name a proof_report, or ask with include_proofs, but not both.',
    {
      reason: 'two_trees',
      faults: [{ pointer: '/include_proofs', message: 'must be absent where proof_report is given' }],
    },
  )
}
