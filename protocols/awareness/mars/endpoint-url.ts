// Which addresses an agent may publish. Whoever connects checks the resolved address again.
import { BlockList, isIP } from 'node:net'

/** The kind of endpoint the engine probes. */
export const probed_kind = 'external'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const inside = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  inside.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  inside.addSubnet(net, prefix, 'ipv6')

/** What is wrong with an endpoint's address, if anything. Decimal and octal forms are already normalized. */
export function urlFault({ kind, url }: { readonly kind: string; readonly url: string }): string | undefined {
  const address = URL.parse(url)
  if (!address) return 'is no url'
  if (address.username || address.password) return 'carries a user name or password'
  if (address.hash) return 'has a fragment'
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4'
  const is_literal = isIP(host) !== 0
  const is_loopback = is_literal && loopback.check(host, family)
  if (address.protocol !== 'https:' && !(address.protocol === 'http:' && is_loopback))
    return 'must be https; http is for loopback addresses only'
  // An IPv4-mapped address must be written as plain IPv4.
  const is_inside = is_literal && (inside.check(host, family) || host.startsWith('::ffff:'))
  if (kind === probed_kind && is_inside && !is_loopback) return 'is an address the engine never connects to'
  return undefined
}
