// The Dockerfile as a linter and its own parser read it. No image is built here.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { deploy } from './deployment.ts'

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

test('every stage is built on the base that can be chosen', () => {
  const [base, ...others] = dockerfile.getFROMs()
  assert.match(base!.getImage()!, /^\$\{BASE\}$/)
  assert.match(text, /^ARG BASE=docker\.io\/library\/debian:[a-z]+-slim$/m)
  assert.ok(others.length > 1)
  for (const stage of others) assert.equal(stage.getImage(), 'base')
})

test('it is unprivileged, has separate state, a health check, and runs svc-engine', () => {
  assert.equal(lastOf('USER'), '10001:10001')
  assert.equal(lastOf('VOLUME'), '["/var/lib/svc"]')
  assert.equal(lastOf('ENTRYPOINT'), '["svc-engine"]')
  assert.match(lastOf('HEALTHCHECK') ?? '', /CMD \["node", "\/opt\/svc\/health.mjs"\]/)
  assert.doesNotMatch(text, /^(ARG|ENV) .*(KEY|PASSWORD|SECRET|TOKEN)/m)
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
