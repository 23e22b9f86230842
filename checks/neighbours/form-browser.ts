// A browser without scripts: it keeps cookies, follows redirects inside one site, and submits the first form
// of a page.
import assert from 'node:assert/strict'

const redirects_max = 12

export interface Page {
  readonly url: string
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The address outside the site we were redirected to: a client's callback. */
  readonly left_to?: string
}

export interface FormBrowser {
  get(url: string): Promise<Page>
  /** Submits the page's form with these fields and its hidden ones. */
  submit(page: Page, fields: Record<string, string>, headers?: Record<string, string>): Promise<Page>
  cookies(): Map<string, string>
  cookieHeader(): string
  /** Every Set-Cookie seen. */
  readonly set_cookies: readonly string[]
}

interface Stored {
  readonly value: string
  readonly path: string
}

/** By name and path, as in browsers: two concurrent sign-ins have a cookie each. */
function cookieJar() {
  const jar = new Map<string, Stored>()
  const set_cookies: string[] = []
  return {
    set_cookies,
    headerFor: (path: string) =>
      [...jar]
        .filter(([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
        .map(([name, { value }]) => `${name.split('@')[0]}=${value}`)
        .join('; '),
    values: () => new Map([...jar].map(([name, { value }]) => [name.split('@')[0]!, value])),
    keep(response: Response): void {
      for (const line of response.headers.getSetCookie()) {
        set_cookies.push(line)
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        const path = /;\s*path=([^;]+)/i.exec(line)?.[1] ?? '/'
        const key = path === '/' ? name : `${name}@${path}`
        const is_gone = /expires=Thu, 01 Jan 1970/i.test(line) || /max-age=0/i.test(line)
        if (is_gone) jar.delete(key)
        else jar.set(key, { value, path })
      }
    },
  }
}

/** `also` are other sites to follow, `always` headers for every request; it stops before `stop_at`. */
export function formBrowser(
  site: string,
  also: readonly string[] = [],
  always: Record<string, string> = {},
  stop_at?: string,
): FormBrowser {
  const jar = cookieJar()
  const isHere = (url: string) =>
    [site, ...also].some((place) => new URL(url).origin === new URL(place).origin) &&
    new URL(url).pathname !== stop_at
  const go = async (first: string, init: RequestInit = {}): Promise<Page> => {
    let [url, options] = [first, init]
    for (let hop = 0; hop < redirects_max; hop++) {
      const headers = {
        ...always,
        ...(options.headers as Record<string, string>),
        cookie: jar.headerFor(new URL(url).pathname),
      }
      const response = await fetch(url, { ...options, headers, redirect: 'manual' })
      jar.keep(response)
      const location = response.headers.get('location')
      const text = await response.text()
      const page = { url, status: response.status, text, headers: response.headers }
      if (location === null) return page
      url = new URL(location, url).href
      if (!isHere(url)) return { ...page, left_to: url }
      options = {}
    }
    throw new Error(`more than ${redirects_max} redirects from ${first}`)
  }
  return {
    get: (url) => go(url),
    async submit(page, fields, headers = {}) {
      const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1]
      assert.ok(action, `no form on ${page.url}: ${page.text.slice(0, 300)}`)
      const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
      const body = new URLSearchParams({
        ...Object.fromEntries(hidden.map(([, name, value]) => [name, decode(value)])),
        ...fields,
      })
      const origin = new URL(page.url).origin
      return go(new URL(decode(action), page.url).href, {
        method: 'POST',
        body,
        headers: { origin, ...headers },
      })
    },
    cookies: jar.values,
    cookieHeader: () => jar.headerFor('/'),
    set_cookies: jar.set_cookies,
  }
}

function decode(text = ''): string {
  return text.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
}
