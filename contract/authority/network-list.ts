// Networks as a caveat has them: addresses and prefixes, `10.0.0.0/8,2001:db8::/32`.
import { BlockList, isIP } from 'node:net'

const prefix_form = /^\d{1,3}$/

/** Undefined where one of them is neither an address nor a network. */
export function readNetworks(text: string): BlockList | undefined {
  const networks = new BlockList()
  for (const part of text.split(',')) {
    const [address = '', prefix, ...rest] = part.split('/')
    const version = isIP(address)
    const bits = version === 4 ? 32 : 128
    if (version === 0 || address.includes('%') || rest.length > 0) return undefined
    if (prefix !== undefined && !(prefix_form.test(prefix) && Number(prefix) <= bits)) return undefined
    networks.addSubnet(address, prefix === undefined ? bits : Number(prefix), familyOf(version))
  }
  return networks
}

export function isInNetworks(networks: BlockList, address: string): boolean {
  // A link-local address comes with the name of our interface.
  const [plain = ''] = address.split('%')
  const version = isIP(plain)
  return version !== 0 && networks.check(plain, familyOf(version))
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6'
}
