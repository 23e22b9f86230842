// Where this service stands, as browsers and clients see it: never taken from a Host header.

export interface Site {
  readonly public_url: string
  /** Of the authorization server. */
  readonly issuer: string
  /** False only on loopback http: there browsers refuse the `__Host-` prefix. */
  readonly secure: boolean
  cookieName(name: string): string
}

export interface SettledSite extends Site {
  /** Where no public address was set it is the listening one, which is known only once we listen. */
  settle(public_url: string): void
}

export function openSite(): SettledSite {
  let public_url = ''
  return {
    get public_url() {
      return public_url
    },
    get issuer() {
      return `${public_url}/oauth`
    },
    get secure() {
      return public_url.startsWith('https:')
    },
    cookieName: (name) => (public_url.startsWith('https:') ? `__Host-${name}` : name),
    settle(url) {
      public_url = url.replace(/\/$/, '')
    },
  }
}
