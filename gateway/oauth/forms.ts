// Forms that only our own pages can send: a token in the page, bound to a cookie that no other site can read or set.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cookieText, readCookie } from './cookies.ts'
import type { Site } from './site.ts'

const form_bytes_max = 16 * 1024
const form_cookie_s = 12 * 3_600
const cookie_form = /^[A-Za-z0-9_-]{43}$/

export interface Forms {
  /** The token for the form of one page; sets the cookie where the browser has none yet. */
  token(request: FastifyRequest, reply: FastifyReply, purpose: string): string
  /** The fields of a form from our own page; refuses every other. */
  read(request: FastifyRequest, purpose: string): Map<string, string>
}

export function openForms(key: Buffer, site: Site, clock: Clock): Forms {
  const tokenOf = (cookie: string, purpose: string) =>
    createHmac('sha256', key).update(`${purpose}\n${cookie}`).digest('base64url')
  const cookieOf = (request: FastifyRequest) => {
    const cookie = readCookie(request.headers.cookie, site.cookieName('svc_form'))
    return cookie !== undefined && cookie_form.test(cookie) ? cookie : undefined
  }
  return {
    token(request, reply, purpose) {
      const token = cookieOf(request)
      const cookie = token ?? clock.randomBytes(32).toString('base64url')
      if (!token) reply.header('set-cookie', cookieText(site, 'svc_form', cookie, form_cookie_s))
      return tokenOf(cookie, purpose)
    },
    read(request, purpose) {
      const fields = request.body as Map<string, string> | undefined
      const [cookie, form_token] = [cookieOf(request), fields?.get('form_token')]
      if (
        !fields ||
        !cookie ||
        !form_token ||
        !isSame(tokenOf(cookie, purpose), form_token) ||
        !isOurs(request, site)
      )
        throw notOurs()
      return fields
    },
  }
}

/** Form bodies become a map; a repeated field is refused, because readers might disagree on which one counts. */
export function acceptForms(app: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded'
  app.addContentTypeParser<string>(
    type,
    { parseAs: 'string', bodyLimit: form_bytes_max },
    (_request, text, done) => {
      const pairs = [...new URLSearchParams(text)]
      const fields = new Map(pairs)
      if (fields.size === pairs.length) done(null, fields)
      else
        done(refuse('invalid_request', 'A field of the form came twice; send it once.', { reason: 'form' }))
    },
  )
}

function isSame(expected: string, received: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(received)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Browsers report the origin of a form. A foreign one is refused without checking the token. */
function isOurs({ headers }: FastifyRequest, site: Site): boolean {
  const { origin, 'sec-fetch-site': fetched } = headers
  const known_origin = origin === undefined || origin === new URL(site.public_url).origin
  return known_origin && (fetched === undefined || fetched === 'same-origin')
}

function notOurs() {
  return refuse('unauthenticated', 'This form is too old or came from another site; open the page again.', {
    reason: 'form token',
  })
}
