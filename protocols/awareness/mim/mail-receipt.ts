// A receipt identifies one delivery of one message. It cannot be guessed and needs no stored state.
import { timingSafeEqual } from 'node:crypto'
import type { Vault } from '@svc/contract/needs/vault'
import { Type } from 'typebox'

export const Receipt = Type.String({
  pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.[1-9][0-9]{0,5}\\.[0-9a-f]{32}$',
  description: 'Identifies one delivery of a message; the next delivery has another receipt.',
})

export interface HandedOut {
  readonly message_id: string
  readonly attempt: number
}

export function receiptFor(vault: Vault, { message_id, attempt }: HandedOut): string {
  return `${message_id}.${attempt}.${vault.blind(`mail receipt ${message_id} ${attempt}`)}`
}

/** Undefined if it was not issued here for this tenant. */
export function readReceipt(vault: Vault, receipt: string): HandedOut | undefined {
  const [message_id = '', attempt = ''] = receipt.split('.')
  const handed = { message_id, attempt: Number(attempt) }
  const [actual, right] = [Buffer.from(receipt), Buffer.from(receiptFor(vault, handed))]
  return actual.length === right.length && timingSafeEqual(actual, right) ? handed : undefined
}
