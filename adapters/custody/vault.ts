// Content sealed with a key of its own, which is wrapped by the tenant's: destroying the wrapped key destroys the
// content.
import { createHmac, randomBytes } from 'node:crypto'
import { deriveKey, open, randomKey, seal } from '@svc/audit/inputs/seal'
import type { Vault } from '@svc/contract/needs/vault'

const tenants_max = 10_000
const blind_hex = 32
const salt_bytes = 16

/** Keys of tenants are derived once: deriving costs more than sealing. */
export function vaults(master_key: Uint8Array): (tenant_id: string) => Vault {
  const by_tenant = new Map<string, Vault>()
  return (tenant_id) => {
    const cached_vault = by_tenant.get(tenant_id)
    if (cached_vault) return cached_vault
    if (by_tenant.size >= tenants_max) by_tenant.clear()
    const vault = openVault(master_key, tenant_id)
    by_tenant.set(tenant_id, vault)
    return vault
  }
}

function openVault(master_key: Uint8Array, tenant_id: string): Vault {
  const wrapping_key = deriveKey(master_key, `content/${tenant_id}`)
  const blinding_key = deriveKey(master_key, `content-names/${tenant_id}`)
  return {
    seal(name, plain) {
      const key = randomKey()
      return { sealed: seal(key, plain, name), wrapped_key: seal(wrapping_key, key, `key of ${name}`) }
    },
    open: (name, box) => open(open(wrapping_key, box.wrapped_key, `key of ${name}`), box.sealed, name),
    blind: (text) => createHmac('sha256', blinding_key).update(text).digest('hex').slice(0, blind_hex),
    salt: () => randomBytes(salt_bytes),
  }
}
