// Where the engine may connect on behalf of a registration: public addresses over https, and networks that the
// operator allows.
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

const addresses_max = 16

export const loopback_networks = ['127.0.0.0/8', '::1/128'] as const

/** Resolves names; tests bring their own. */
export type Names = typeof systemLookup

export interface AddressGuard {
  /** Undefined if the address is allowed, otherwise the reason. */
  refusal(address: string, secure: boolean): string | undefined
}

/** Blocks such as 10.0.0.0/8: services there may be reached, also without https, because the operator allowed it. */
export function addressGuard(allowed_networks: readonly string[]): AddressGuard {
  const allowed = new BlockList()
  for (const block of allowed_networks) {
    const [net = '', prefix = ''] = block.split('/')
    allowed.addSubnet(net, Number(prefix), isIP(net) === 4 ? 'ipv4' : 'ipv6')
  }
  return {
    refusal(address, secure) {
      const version = isIP(address)
      // A zone would make one address many.
      if (version === 0 || address.includes('%')) return 'address not allowed'
      if (allowed.check(address, version === 4 ? 'ipv4' : 'ipv6')) return undefined
      if (!isPublicAddress(address)) return 'address not allowed'
      return secure ? undefined : 'only https is asked'
    },
  }
}

/** For addresses that come only from the operator's own settings. */
export const unguarded: AddressGuard = { refusal: () => undefined }

/** Why nothing may be sent, in our own words. */
export class RefusedAddress extends Error {}

/** A name is checked on lookup; a literal address is never looked up, so it is checked here. */
export function refusedBeforehand(url: URL, guard: AddressGuard): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https is asked'
  if (url.username !== '' || url.password !== '') return 'no user may stand in an address'
  const host = bareHost(url)
  return isIP(host) === 0 ? undefined : guard.refusal(host, url.protocol === 'https:')
}

/** The checked addresses are the ones handed on: no second lookup. */
export function checkedLookup(
  guard: AddressGuard,
  secure: boolean,
  names: Names = systemLookup,
): LookupFunction {
  return (hostname, { all }, done) => {
    names(hostname, { all: true, order: 'verbatim' }, (error, addresses) => {
      if (error) return done(error, '', 0)
      const judged = addresses.slice(0, addresses_max)
      // If one of several addresses is internal, the name is refused.
      const refused = judged.map(({ address }) => guard.refusal(address, secure)).filter(Boolean)
      const [first] = judged
      if (!first || refused.length > 0)
        done(new RefusedAddress(refused.sort()[0] ?? 'address not allowed'), '', 0)
      else if (all) done(null, judged)
      else done(null, first.address, first.family)
    })
  }
}

export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
