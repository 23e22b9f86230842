// Limits callers who wait for mail, in all and per organization: each holds one call and nothing else.
import type { Mailboxes } from '@svc/contract/needs/mailboxes'
import type { Vault } from '@svc/contract/needs/vault'

const waiting_max = 400
const waiting_of_tenant_max = 200

interface MailboxesParts {
  readonly message_bytes_max: number
  readonly vaultOf: (tenant_id: string) => Vault
}

export function openMailboxes({ message_bytes_max, vaultOf }: MailboxesParts): Mailboxes {
  const waiting = new Map<string, number>()
  let all = 0
  const leave = (tenant_id: string) => {
    const left = waiting.get(tenant_id)! - 1
    all--
    if (left > 0) waiting.set(tenant_id, left)
    else waiting.delete(tenant_id)
  }
  return {
    message_bytes_max,
    vaultOf,
    wait(tenant_id) {
      const own = waiting.get(tenant_id) ?? 0
      if (all >= waiting_max || own >= waiting_of_tenant_max) return undefined
      all++
      waiting.set(tenant_id, own + 1)
      let has_left = false
      return () => {
        if (!has_left) leave(tenant_id)
        has_left = true
      }
    },
  }
}
