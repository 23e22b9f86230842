// Claims of a workload as lines of text: name=text, the same name again for another accepted text.

export type Claims = Readonly<Record<string, readonly string[]>>

/** Undefined where a line is not of this form, or there is none. */
export function readClaims(text: string): Record<string, string[]> | undefined {
  const claims = new Map<string, string[]>()
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const at = line.indexOf('=')
    const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    if (at < 1 || name === '' || value === '') return undefined
    claims.set(name, [...(claims.get(name) ?? []), value])
  }
  return claims.size === 0 ? undefined : Object.fromEntries(claims)
}

export function claimLines(claims: Claims): string[] {
  return Object.entries(claims).flatMap(([name, texts]) => texts.map((text) => `${name}=${text}`))
}
