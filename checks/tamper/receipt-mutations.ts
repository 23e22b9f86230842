// Mutations of one receipt. A change without a new meaning is none, so the caller compares canonical forms.
import type { Receipt } from '@svc/contract/needs/audit-log'
import { changedValue } from './changed-json.ts'
import type { Random } from './random.ts'

type Change = (receipt: Receipt, other: Receipt, random: Random) => unknown

const changes: readonly Change[] = [
  (receipt, _, random) => changedValue(receipt, random).value,
  (receipt, _, random) => ({ ...receipt, record: changedValue(receipt.record, random).value }),
  (receipt, other) => ({ ...receipt, record: other.record }),
  (receipt, other) => ({ ...receipt, inclusion_path: other.inclusion_path }),
  (receipt, other) => ({ ...receipt, checkpoint: other.checkpoint }),
  (receipt, other) => ({ ...receipt, checkpoint: other.checkpoint, tree_size: other.tree_size }),
  (receipt, other) => ({ ...other, record: receipt.record }),
  (receipt, _, random) => ({ ...receipt, tree_size: receipt.tree_size + 1 - 2 * random.below(2) }),
  (receipt, _, random) => ({ ...receipt, inclusion_path: otherPath(receipt.inclusion_path, random) }),
  (receipt, _, random) => ({ ...receipt, checkpoint: otherBytes(receipt.checkpoint, random) }),
  (receipt, _, random) => {
    const field = random.pick(['record_hash', 'previous_hash'] as const)
    return { ...receipt, record: { ...receipt.record, [field]: otherHex(receipt.record[field], random) } }
  },
]

export function mutateReceipt(receipt: Receipt, other: Receipt, random: Random): unknown {
  return random.pick(changes)(receipt, other, random)
}

function otherPath(path: readonly unknown[], random: Random): unknown[] {
  const at = random.below(path.length)
  const entry = path[at]
  if (typeof entry !== 'string') return ['0'.repeat(64)]
  return random.pick<unknown[]>([
    path.with(at, otherHex(entry, random)),
    path.toSpliced(at, 1),
    path.toSpliced(at, 0, entry),
    path.toReversed(),
    path.with(at, entry.toUpperCase()),
    path.with(at, `${entry}zz`),
    path.with(at, `${entry}00`),
    path.with(at, entry.slice(0, -1)),
    path.with(at, [entry]),
    path.with(at, null),
  ])
}

function otherHex(hex: string, random: Random): string {
  const at = random.below(hex.length)
  const digit = (Number.parseInt(hex[at]!, 16) + 1 + random.below(15)) % 16
  return hex.slice(0, at) + digit.toString(16) + hex.slice(at + 1)
}

function otherBytes(text: string, random: Random): string {
  const bytes = Buffer.from(text)
  bytes[random.below(bytes.length)]! ^= 1 + random.below(255)
  return bytes.toString()
}
