// Which addresses are public: only those are connected to on somebody else's request.
import { BlockList, isIP } from 'node:net'

const not_public_v4 = listOf('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])
const global_v6 = listOf('ipv6', [['2000::', 3]])
/** In the global range, but documentation, or another network's address embedded (Teredo, 6to4). */
const not_public_v6 = listOf('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Takes a literal address. Mapped, translated and local forms of IPv6 are all outside 2000::/3. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !not_public_v4.check(address, 'ipv4')
  if (version !== 6 || address.includes('%')) return false
  return global_v6.check(address, 'ipv6') && !not_public_v6.check(address, 'ipv6')
}

export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address)
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

function listOf(
  family: 'ipv4' | 'ipv6',
  nets: readonly (readonly [net: string, prefix: number])[],
): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of nets) list.addSubnet(net, prefix, family)
  return list
}
