// Passwords, codes and tokens are sent only over https or to this machine.
import { SvcError } from '@svc/sdk/errors'
import { harmless } from '../output/harmless-text.ts'

/** `what` names the address in messages: `--auth-url`, `the token address`. */
export function requireSafeAddress(text: string, what: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) {
    if (url.username === '' && url.password === '') return url
    throw unsafe(`${what} contains a user name or a password; give the address alone.`)
  }
  throw unsafe(`${what} is ${harmless(text)}; a sign-in needs https, or http on this machine (127.0.0.1).`)
}

function unsafe(message: string): SvcError {
  return new SvcError({ code: 'not_configured', message, reason: 'unsafe address' })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** Addresses are compared and stored without the trailing slash that URL adds to a bare host. */
export function withoutSlash(url: URL): string {
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href
}
