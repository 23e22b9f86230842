// The address of a Redis behind sentinels: redis+sentinel://user:password@host:26379,host:26379/master-name

const form =
  /^(rediss?)\+sentinel:\/\/(?:([^@/\s]*)@)?([^@/\s,]+:\d{1,5}(?:,[^@/\s,]+:\d{1,5})*)\/([\w.-]{1,100})$/

export interface Sentinels {
  readonly name: string
  /** The user and password are of the servers; sentinels are asked without. */
  readonly sentinels: readonly string[]
  urlAt(host: string, port: string): string
}

export function isSentinelUrl(url: string): boolean {
  return form.test(url)
}

export function sentinelsOf(url: string): Sentinels {
  const parts = form.exec(url)
  if (!parts) throw new Error('this is no address of sentinels')
  const [, scheme, login, hosts = '', name = ''] = parts
  return {
    name,
    sentinels: hosts.split(',').map((host) => `${scheme}://${host}`),
    urlAt(host, port) {
      const place = host.includes(':') ? `[${host}]` : host
      return `${scheme}://${login === undefined ? '' : `${login}@`}${place}:${port}`
    },
  }
}
