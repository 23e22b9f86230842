import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { consentPage, errorPage, pageHeaders, signInPage, signOutPage } from './pages.ts'

const tags = (html: string) =>
  [...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, name]) => name!.toLowerCase()).sort()

test('whatever others call themselves, the page keeps its own shape', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (words) => {
      const texts = ['plain', `"'><script>${words}`, words]
      const pages = texts.map((said) => {
        const asking = { client_name: said, is_built_in: false, redirect_host: said }
        const user = {
          user_id: said,
          tenant_id: said,
          did: said,
          login: said,
          name: said,
          tier: 'charter',
          disabled: false,
        } as const
        const form = { action: said, form_token: said, asking }
        return [
          signInPage({ ...form, login: `x${said}`, alert: said, upstream: { host: said, href: said } }),
          consentPage({ ...form, user, scopes: ['svc.call', said] }),
          signOutPage(said, user),
          errorPage(said),
        ]
      })
      for (const page of [0, 1, 2, 3]) {
        assert.deepEqual(tags(pages[1]![page]!), tags(pages[0]![page]!))
        assert.deepEqual(tags(pages[2]![page]!), tags(pages[0]![page]!))
      }
    }),
  )
})

test('a form may lead to the site, and to where the answer goes, and nowhere else', () => {
  assert.match(pageHeaders()['content-security-policy']!, /form-action 'self'$/)
  assert.match(
    pageHeaders('http://127.0.0.1:8600')['content-security-policy']!,
    /form-action 'self' http:\/\/127\.0\.0\.1:8600$/,
  )
})
