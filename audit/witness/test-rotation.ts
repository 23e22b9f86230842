// A small log with changes of its key, written without the engine's code, and what it sends to a witness.
import {
  changeOf,
  noteOf,
  rootOver,
  type TestKey,
  type TestRecord,
  testExport,
} from '../../clients/sdk-typescript/verify/test-export.ts'
import { consistencyPath, inclusionPath, leafHash } from '../tree/merkle.ts'
import { writeRotationSubmission } from './rotation-submission.ts'
import { writeSubmission } from './witness-submission.ts'

const rotated = 'AuditKeyRotated'

/** The record of a change of keys at this place, in a chain of `size` records. */
export function changedAt(
  size: number,
  ...changes: readonly (readonly [seq: number, before: TestKey, after: TestKey])[]
): TestRecord[] {
  return Array.from({ length: size }, (_, i) => {
    const [seq, before, after] = changes.find(([seq]) => seq === i + 1) ?? []
    return seq ? { event_type: rotated, meta: changeOf(seq, before!, after!) } : {}
  })
}

export function testLog(records: readonly TestRecord[], any_key: TestKey) {
  const { hashes, record_lines } = testExport({ records, keys: [[any_key, null]], notes: [] })
  const nodeOf = (_level: number, index: number) => leafHash(Buffer.from(hashes[index]!, 'hex'))
  const hex = (nodes: readonly Buffer[]) => nodes.map((node) => node.toString('hex'))
  const proof = (from: number, to: number) =>
    from === 0 || from === to ? [] : hex(consistencyPath(from, to, nodeOf))
  const note = (size: number, by: TestKey) => noteOf(size, rootOver(hashes.slice(0, size)), by)
  const placed = (seq: number, size = seq) => ({
    record: {
      ...JSON.parse(record_lines[seq - 1]!).record,
      record_hash: hashes[seq - 1],
      previous_hash: hashes[seq - 2] ?? '0'.repeat(64),
    },
    inclusion_path: hex(inclusionPath(seq - 1, size, nodeOf)),
  })
  return {
    note,
    placed,
    proof,
    checkpoint: (from: number, to: number, by: TestKey) =>
      writeSubmission(from, proof(from, to), note(to, by)),
    rotation: (from: number, seq: number, by: TestKey, record = placed(seq)) =>
      writeRotationSubmission(record, from, proof(from, seq), note(seq, by)),
  }
}
