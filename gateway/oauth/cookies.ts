// Cookies in and out. A repeated cookie is ignored: which of the two is ours cannot be known.
import type { Site } from './site.ts'

const cookie_chars_max = 8192

export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > cookie_chars_max) return undefined
  const start = `${name}=`
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
  return values.length === 1 ? values[0]!.slice(start.length) : undefined
}

/** HttpOnly, SameSite=Lax, for the whole site, and Secure wherever the site is. `max_age_s` 0 deletes it. */
export function cookieText(site: Site, name: string, value: string, max_age_s: number): string {
  const secure = site.secure ? '; Secure' : ''
  return `${site.cookieName(name)}=${value}; Path=/; Max-Age=${max_age_s}; HttpOnly; SameSite=Lax${secure}`
}
