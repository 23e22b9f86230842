// The body of add-rotation: the record of a key change with its path, in one line of JSON, and then the body of add-checkpoint for the old
// key's last checkpoint.
import { isObject } from '@svc/sdk/verify/fault'
import { readSubmission, type Submission, writeSubmission } from './witness-submission.ts'

/** A record with its hash and the previous one, and its siblings in the tree, in hex. */
export interface PlacedRotation {
  readonly record: Record<string, unknown>
  readonly inclusion_path: unknown
}

export interface RotationSubmission extends PlacedRotation {
  readonly submission: Submission
}

/** Undefined where the text is not of this form. */
export function readRotationSubmission(body: string): RotationSubmission | undefined {
  const end = body.indexOf('\n')
  const submission = readSubmission(body.slice(end + 1))
  const placed = readLine(body.slice(0, Math.max(0, end)))
  if (!submission || !isObject(placed) || !isObject(placed.record)) return undefined
  if (Object.keys(placed).length !== 2 || !('inclusion_path' in placed)) return undefined
  return { record: placed.record, inclusion_path: placed.inclusion_path, submission }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

export function writeRotationSubmission(
  { record, inclusion_path }: { readonly record: object; readonly inclusion_path: readonly string[] },
  old_size: number,
  proof: readonly string[],
  note: string,
): string {
  return `${JSON.stringify({ inclusion_path, record })}\n${writeSubmission(old_size, proof, note)}`
}
