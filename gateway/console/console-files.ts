// The console's built files, read once: each with its type, ETag and compressed form.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { waitingPage } from '../oauth/pages.ts'

const files_max = 500

export interface ConsoleFile {
  readonly status: 200 | 503
  readonly bytes: Buffer
  readonly gzipped: Buffer | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** By path, without the leading slash; the page itself is ''. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const media_types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
}

/**
 * Scripts and styles only from this origin, no text as code, and no framing. The one policy of trusted types makes
 * the address of the worker that lays out graphs (clients/console/parts/layout-worker.ts), and nothing else.
 */
const content_security_policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svc-layout-worker',
].join('; ')

export const page_headers: Readonly<Record<string, string>> = {
  'content-security-policy': content_security_policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
}

/** Undefined where nothing was built. */
export function readConsoleFiles(folder: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const paths = globSync('**/*.*', { cwd: folder }).slice(0, files_max)
  return new Map(paths.map((path) => [path === 'index.html' ? '' : path, readFile(folder, path)]))
}

/** What is served until the files are there. */
export function waitingFiles(sentence: string, reload_seconds: number): ConsoleFiles {
  const headers = {
    ...page_headers,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'retry-after': String(reload_seconds),
  }
  const bytes = Buffer.from(waitingPage(sentence, reload_seconds))
  return new Map([['', { status: 503, bytes, gzipped: undefined, headers }]])
}

function readFile(folder: string, path: string): ConsoleFile {
  const bytes = readFileSync(join(folder, path))
  const gzipped = gzipSync(bytes)
  const headers = {
    ...page_headers,
    'content-type': media_types[extname(path)] ?? 'application/octet-stream',
    // An asset's name is its hash; the page names the assets, so it is always revalidated.
    'cache-control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    vary: 'accept-encoding',
  }
  return { status: 200, bytes, gzipped: gzipped.length < bytes.length ? gzipped : undefined, headers }
}
