// The Dockerfile as a linter and its own parser read it. No image is built here.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { deploy, root } from './deployment.ts'

const text = readFileSync(join(deploy, 'Dockerfile'), 'utf8')
const dockerfile = DockerfileParser.parse(text)
const lastOf = (keyword: string) =>
  dockerfile
    .getInstructions()
    .findLast((instruction) => instruction.getKeyword() === keyword)
    ?.getRawArgumentsContent()

test('a linter finds nothing, but does in a bad one', () => {
  assert.deepEqual(validate(text), [])
  assert.equal(validate('FROM node:26\nEXPOSE http\n').length, 1)
})

test('it uses the tested Node version, in every stage', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [base, ...others] = dockerfile.getFROMs()
  assert.match(
    base!.getImage()!,
    new RegExp(`^node:${devDependencies.node.replaceAll('.', '\\.')}-\\w+-slim$`),
  )
  assert.ok(others.length > 1)
  for (const stage of others) assert.equal(stage.getImage(), 'base')
})

test('it is unprivileged, has separate state, a health check, and runs svc-engine', () => {
  assert.equal(lastOf('USER'), '10001:10001')
  assert.equal(lastOf('VOLUME'), '["/var/lib/svc"]')
  assert.equal(lastOf('ENTRYPOINT'), '["svc-engine"]')
  assert.match(lastOf('HEALTHCHECK') ?? '', /CMD \["node", "deploy\/health.mjs"\]/)
  assert.doesNotMatch(text, /^(ARG|ENV) .*(KEY|PASSWORD|SECRET|TOKEN)/m)
})

test('what it builds with exists: the image’s own Node, and its files', () => {
  const steps = dockerfile.getInstructions().filter((instruction) => instruction.getKeyword() === 'RUN')
  const commands = steps.flatMap((step) => (step.getRawArgumentsContent() ?? '').split('&&'))
  // An npm script uses the Node of node_modules, which an install without scripts lacks.
  assert.ok(!commands.some((command) => /npm (run|exec)|npx/.test(command)))
  const built = commands.flatMap((command) => /^\s*node (\S+)/.exec(command)?.[1] ?? [])
  assert.deepEqual(built, ['clients/console/build.ts', 'catalogue/generate.ts'])
  for (const file of built) assert.ok(existsSync(join(root, file)), file)
})

test('no secret, test or build output is sent to the builder', () => {
  const lines = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  for (const line of [
    '**/node_modules',
    '.git',
    '**/.svc',
    '.env*',
    'deploy/*',
    '!deploy/health.mjs',
    'checks',
  ])
    assert.ok(lines.includes(line), line)
})

test('the health check exits with 0 only if the answer is 200', async (t) => {
  let status = 200
  const server = createServer((_req, res) => res.writeHead(status).end()).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async () => {
    const args = [join(deploy, 'health.mjs'), `http://127.0.0.1:${port}/health`]
    const [code] = await once(spawn(process.execPath, args, { stdio: 'ignore' }), 'exit')
    return code
  }
  assert.equal(await ask(), 0)
  status = 503
  assert.equal(await ask(), 1)
  server.close()
  await once(server, 'close')
  assert.equal(await ask(), 1)
})
