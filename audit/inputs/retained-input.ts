// Inputs retained beside the chain. In the journal a turn's inputs share one box; in the audit log each has its own key, so that it can be
// redacted singly.
import { envelope_bytes, type RootKeys } from '../sealing/root-keys.ts'
import { open, randomKey, seal } from '../sealing/seal.ts'

export interface RetainedInput {
  readonly tenant_id: string
  readonly commitment: string
  readonly text: string
}

export interface SealedInput {
  readonly tenant_id: string
  readonly input_hash: string
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
}

const turn_name = 'inputs of a turn'
const turns_per_key_max = 2 ** 24
/** Before root keys a turn began with the seed of its key. */
const older_seed_bytes = 16

/** Seals turn after turn, with a new key from time to time: nonces are random, so a key must not be used too often. */
export function turnSealer(
  root_keys: RootKeys,
  journal_id: string,
): (inputs: readonly RetainedInput[]) => Buffer {
  const renewed = () => {
    const key = randomKey()
    return { key, version: root_keys.version, envelope: root_keys.wrap(key), turns: 0 }
  }
  let using = renewed()
  return (inputs) => {
    if (++using.turns > turns_per_key_max || using.version !== root_keys.version) using = renewed()
    return Buffer.concat([using.envelope, seal(using.key, JSON.stringify(inputs), turnName(journal_id))])
  }
}

export function openTurn(root_keys: RootKeys, journal_id: string, sealed: Buffer): RetainedInput[] {
  if (root_keys.isOlder(sealed)) return openOlderTurn(root_keys, journal_id, sealed)
  const plain = open(root_keys.unwrap(sealed), sealed.subarray(envelope_bytes), turnName(journal_id))
  return JSON.parse(plain.toString('utf8'))
}

function openOlderTurn(root_keys: RootKeys, journal_id: string, sealed: Buffer): RetainedInput[] {
  const seed = sealed.subarray(0, older_seed_bytes).toString('hex')
  const key = root_keys.olderKey(`journal/${journal_id}/${seed}`)
  return JSON.parse(open(key, sealed.subarray(older_seed_bytes), turn_name).toString('utf8'))
}

export function sealInput(root_keys: RootKeys, input: RetainedInput): SealedInput {
  const { tenant_id, commitment, text } = input
  const key = randomKey()
  const sealed = seal(key, text, inputName(tenant_id, commitment))
  return { tenant_id, input_hash: commitment, sealed, wrapped_key: root_keys.wrap(key) }
}

export function openInput(root_keys: RootKeys, input: SealedInput): string {
  const { tenant_id, input_hash, sealed, wrapped_key } = input
  const name = inputName(tenant_id, input_hash)
  const key = root_keys.isOlder(wrapped_key)
    ? open(root_keys.olderKey(`audit-input/${tenant_id}`), wrapped_key, `key of ${name}`)
    : root_keys.unwrap(wrapped_key)
  return open(key, sealed, name).toString('utf8')
}

function turnName(journal_id: string): string {
  return `${turn_name} of journal ${journal_id}`
}

function inputName(tenant_id: string, commitment: string): string {
  return `input ${commitment} of ${tenant_id}`
}
