// The operator of a development installation: its DID is the digest of the key in the data folder.
import { childDid } from '@svc/contract/identity/lineage'
import { privateKeyOf, publicKeyOf, type SigningKey } from '@svc/contract/signing/signature'

export const operator_tenant = 'operator'

export function operatorOf(seed_hex: string): SigningKey {
  const private_key = privateKeyOf(Buffer.from(seed_hex, 'hex'))
  const public_key = publicKeyOf(private_key)
  return { did: childDid(operator_tenant, 'Service', public_key), public_key, private_key }
}
