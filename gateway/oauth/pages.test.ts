import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { consentPage, errorPage, pageHeaders, signInPage, signOutPage } from './pages.ts'

const tags = (html: string) =>
  [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name!.toLowerCase()).sort()

test("names chosen by others cannot change the page's structure", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (words) => {
      const texts = ['plain', `"'><script>${words}`, words]
      const pages = texts.map((text) => {
        const asking = { client_name: text, is_built_in: false, redirect_host: text }
        const user = {
          user_id: text,
          tenant_id: text,
          did: text,
          login: text,
          name: text,
          tier: 'charter',
          disabled: false,
        } as const
        const form = { action: text, form_token: text, asking }
        return [
          signInPage({ ...form, login: `x${text}`, alert: text, upstream: { host: text, href: text } }),
          consentPage({ ...form, user, scopes: ['svc.call', text] }),
          signOutPage(text, user),
          errorPage(text),
        ]
      })
      for (const page of [0, 1, 2, 3]) {
        assert.deepEqual(tags(pages[1]![page]!), tags(pages[0]![page]!))
        assert.deepEqual(tags(pages[2]![page]!), tags(pages[0]![page]!))
      }
    }),
  )
})

test("a form may lead to the site, and to the client's redirect address, and nowhere else", () => {
  assert.match(pageHeaders()['content-security-policy']!, /form-action 'self'$/)
  assert.match(
    pageHeaders('http://127.0.0.1:8600')['content-security-policy']!,
    /form-action 'self' http:\/\/127\.0\.0\.1:8600$/,
  )
})
