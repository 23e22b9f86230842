// Content sealed with a key of its own, which a root key wraps: destroying the wrapped key destroys the content.
import { createHmac, randomBytes } from 'node:crypto'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import { open, randomKey, seal } from '@svc/audit/sealing/seal'
import type { Vault } from '@svc/contract/needs/vault'

const tenants_max = 10_000
const blind_hex = 32
const salt_bytes = 16

/** The key of a tenant's names is derived once: deriving costs more than hashing. */
export function vaults(root_keys: RootKeys): (tenant_id: string) => Vault {
  const by_tenant = new Map<string, Vault>()
  return (tenant_id) => {
    const cached_vault = by_tenant.get(tenant_id)
    if (cached_vault) return cached_vault
    if (by_tenant.size >= tenants_max) by_tenant.clear()
    const vault = openVault(root_keys, tenant_id)
    by_tenant.set(tenant_id, vault)
    return vault
  }
}

function openVault(root_keys: RootKeys, tenant_id: string): Vault {
  const blinding_key = root_keys.indexKey(`content-names/${tenant_id}`)
  // The tenant is bound to the content, because the envelope of its key is not.
  const boundTo = (name: string) => `content of ${tenant_id}: ${name}`
  return {
    seal(name, plain) {
      const key = randomKey()
      return { sealed: seal(key, plain, boundTo(name)), wrapped_key: root_keys.wrap(key) }
    },
    open(name, { sealed, wrapped_key }) {
      if (!root_keys.isOlder(wrapped_key)) return open(root_keys.unwrap(wrapped_key), sealed, boundTo(name))
      const key = open(root_keys.olderKey(`content/${tenant_id}`), wrapped_key, `key of ${name}`)
      return open(key, sealed, name)
    },
    sealWithin(name, plain) {
      const key = randomKey()
      return { sealed: seal(key, plain, boundTo(name)), key }
    },
    openWithin: (name, { sealed, key }) => open(key, sealed, boundTo(name)),
    blind: (text) => createHmac('sha256', blinding_key).update(text).digest('hex').slice(0, blind_hex),
    salt: () => randomBytes(salt_bytes),
  }
}
