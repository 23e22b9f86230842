// Inputs retained beside the chain. In the journal a turn's inputs share one box; in the audit log each has its own key, so that it can be
// redacted singly.
import { randomBytes } from 'node:crypto'
import { deriveKey, open, randomKey, seal } from './seal.ts'

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
const seed_bytes = 16
const turns_per_key_max = 2 ** 24

/** Seals turn after turn, with a new key from time to time: nonces are random, so a key must not be used too often. */
export function turnSealer(
  master_key: Uint8Array,
  journal_id: string,
): (inputs: readonly RetainedInput[]) => Buffer {
  let seed = randomBytes(seed_bytes)
  let key = turnKey(master_key, journal_id, seed)
  let turns = 0
  return (inputs) => {
    if (++turns > turns_per_key_max) {
      seed = randomBytes(seed_bytes)
      key = turnKey(master_key, journal_id, seed)
      turns = 1
    }
    return Buffer.concat([seed, seal(key, JSON.stringify(inputs), turn_name)])
  }
}

export function openTurn(master_key: Uint8Array, journal_id: string, sealed: Buffer): RetainedInput[] {
  const key = turnKey(master_key, journal_id, sealed.subarray(0, seed_bytes))
  return JSON.parse(open(key, sealed.subarray(seed_bytes), turn_name).toString('utf8'))
}

function turnKey(master_key: Uint8Array, journal_id: string, seed: Buffer): Buffer {
  return deriveKey(master_key, `journal/${journal_id}/${seed.toString('hex')}`)
}

export function sealInput(master_key: Uint8Array, input: RetainedInput): SealedInput {
  const { tenant_id, commitment, text } = input
  const key = randomKey()
  const name = inputName(tenant_id, commitment)
  const wrapped_key = seal(wrappingKey(master_key, tenant_id), key, `key of ${name}`)
  return { tenant_id, input_hash: commitment, sealed: seal(key, text, name), wrapped_key }
}

export function openInput(master_key: Uint8Array, input: SealedInput): string {
  const name = inputName(input.tenant_id, input.input_hash)
  const key = open(wrappingKey(master_key, input.tenant_id), input.wrapped_key, `key of ${name}`)
  return open(key, input.sealed, name).toString('utf8')
}

function wrappingKey(master_key: Uint8Array, tenant_id: string): Buffer {
  return deriveKey(master_key, `audit-input/${tenant_id}`)
}

function inputName(tenant_id: string, commitment: string): string {
  return `input ${commitment} of ${tenant_id}`
}
