// Every version of ours on a page is an available one: this workspace's.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }
const exclude = (path: string) => /(^|\/)(node_modules|target|dist|\.svc)(\/|$)/.test(path)
const filesMatching = (...patterns: string[]) => globSync(patterns, { cwd: root, exclude }).sort()

/** Every form of a version after one of our names: cargo, npm, archives, images and charts. */
const printed = [
  /\bsvc-(?:sdk|plugin)\s*=\s*"[\^~=]?(\d[\w.-]*)"/g,
  /\bsvc-(?:sdk|plugin)\s*=\s*\{[^}]*?\bversion\s*=\s*"[\^~=]?(\d[\w.-]*)"/g,
  /\bsvc-sdk(?:\[[\w,-]+\])?\s*[=~]=\s*(\d[\w.]*)/g,
  /\bsvc_sdk-(\d+\.\d+\.\d+)\b/g,
  /\bcargo add svc-(?:sdk|plugin)@(\d[\w.]*)/g,
  /@svc\/[a-z-]+@[\^~]?(\d[\w.]*)/g,
  /"@svc\/[a-z-]+":\s*"[\^~]?(\d[\w.-]*)"/g,
  /\bsvc(?:-[a-z]+)*-(\d+\.\d+\.\d+)\b/g,
  /\bsvc:(\d+\.\d+[\w.]*)/g,
]

function versionsIn(text: string): string[] {
  return printed.flatMap((form) => [...text.matchAll(form)].map(([, printed_version]) => printed_version!))
}

/** A whole version, or a prefix that cargo and npm complete: "0.10" finds 0.10.0 and "0.9" does not. */
function isHad(printed_version: string): boolean {
  return printed_version === version || printed_version === version.split('.').slice(0, 2).join('.')
}

const pages = filesMatching(
  '*.md',
  'docs/**/*.md',
  'clients/*/README.md',
  'clients/**/*.rs',
  'clients/sdk-python/**/*.py',
  'clients/*/template/**/*',
  'deploy/**/*.{md,yaml,json}',
  'examples/**/*.{md,toml}',
  'generated/{llms.txt,reference/*.md}',
  // Old versions stay under their own headings.
).filter((path) => path !== 'CHANGELOG.md' && /\.[a-z]+$/.test(path))

test('every printed version of ours is that of this workspace', () => {
  const wrong = pages.flatMap((path) =>
    versionsIn(read(path)).flatMap((printed_version) =>
      isHad(printed_version) ? [] : [`${path} prints ${printed_version}, not ${version}`],
    ),
  )
  assert.deepEqual(wrong, [])
})

test('all forms are found, so that an old version would be', () => {
  const samples = [
    'svc-sdk = "0.9"',
    'svc-sdk = { version = "0.9", default-features = false }',
    'cargo add svc-plugin@0.9',
    'pip install svc-sdk==0.9.0',
    'pip install "svc-sdk[langchain]==0.9.0"',
    'pip install ./svc_sdk-0.9.0-py3-none-any.whl',
    'npm install @svc/sdk@0.9.1',
    '"@svc/plugin": "^0.9.0"',
    'npm install ./svc-sdk-0.9.0.tgz',
    'image: "svc:0.9.0"',
  ]
  for (const sample of samples)
    assert.ok(
      versionsIn(sample).some((printed_version) => !isHad(printed_version)),
      sample,
    )
  assert.ok(pages.some((path) => versionsIn(read(path)).length > 0))
  assert.deepEqual(
    versionsIn(read('docs/rust.md')).length >= 2,
    true,
    'docs/rust.md prints how to depend on it',
  )
})

test('packages, crates, wheel and chart have one version', () => {
  const packages = filesMatching('package.json', '*/package.json', 'clients/*/package.json')
  const stated = [
    ...packages.map((path) => [path, JSON.parse(read(path)).version]),
    ['Cargo.toml', /^version = "([^"]+)"/m.exec(read('Cargo.toml'))?.[1]],
    [
      'svc-sdk of Python',
      /^VERSION = "([^"]+)"/m.exec(read('clients/sdk-python/src/svc_sdk/_version.py'))?.[1],
    ],
    ...['version', 'appVersion'].map((field) => [
      `Chart.yaml ${field}`,
      new RegExp(`^${field}: (\\S+)`, 'm').exec(read('deploy/helm/svc/Chart.yaml'))?.[1],
    ]),
  ]
  assert.deepEqual(
    stated.filter(([, each]) => each !== version),
    [],
  )
})

test('the license of the wheel is that of the repository', () => {
  assert.equal(read('clients/sdk-python/LICENSE'), read('LICENSE'))
})

test('no example or template requires an engine newer than this one', () => {
  const numbers = (text: string) => text.split('.').map(Number)
  const [major, minor, patch] = numbers(version) as [number, number, number]
  const asking = filesMatching('docs/**/*.md', 'examples/**/*.toml', 'clients/*/template/*.toml').flatMap(
    (path) =>
      [...read(path).matchAll(/min_svc_version = "(\d+\.\d+\.\d+)"/g)].map(
        ([, stated_version]) => [path, stated_version!] as const,
      ),
  )
  assert.ok(asking.length >= 3)
  for (const [path, stated_version] of asking) {
    const [a, b, c] = numbers(stated_version) as [number, number, number]
    assert.ok(
      a < major || (a === major && (b < minor || (b === minor && c <= patch))),
      `${path}: ${stated_version}`,
    )
  }
})
