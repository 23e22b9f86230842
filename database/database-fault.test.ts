import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { asRefusal } from './as-refusal.ts'
import {
  isConnectionLost,
  isConnectionSpent,
  isDatabaseAway,
  noteFaultsOf,
  StandbyReached,
} from './database-fault.ts'

const stateError = (code: string) =>
  Object.assign(new Error('said by the server'), { severity: 'ERROR', code })
const errnoError = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

class FakePool extends EventEmitter {
  failure = errnoError('ECONNREFUSED')
  connect(connected?: (error: Error) => void): Promise<never> {
    connected?.(this.failure)
    return connected ? new Promise(() => {}) : Promise.reject(this.failure)
  }
}

test('server errors on shutdown, startup or recovery are not bugs of ours', () => {
  for (const code of ['57P01', '57P03', '08006', '08P01', '25P03'])
    assert.deepEqual(
      [isConnectionLost(stateError(code)), isDatabaseAway(stateError(code))],
      [true, true],
      code,
    )
  // The server goes on, and the same statement may work a moment later.
  for (const code of ['57014', '53300', '53100', '58030', '25006'])
    assert.deepEqual(
      [isConnectionLost(stateError(code)), isDatabaseAway(stateError(code))],
      [false, true],
      code,
    )
  for (const code of ['23505', '42P01', '0A000', '40001', '55P03', ''])
    assert.equal(isDatabaseAway(stateError(code)), false, code)
})

test('a connection to a standby is not used again, and reaching one means that the database is away', () => {
  assert.deepEqual(
    ['25006', '57014', '23505'].map((code) => isConnectionSpent(stateError(code))),
    [true, false, false],
  )
  assert.ok(isConnectionSpent(new Error('Query read timeout')))
  assert.equal(asRefusal(new StandbyReached()).code, 'unavailable')
})

test('client errors about a server that does not answer count as well', () => {
  for (const words of [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])
    assert.ok(isConnectionLost(new Error(words)), words)
  for (const thrown of [new Error('a bug: Connection terminated'), 'Query read timeout', null, undefined, {}])
    assert.equal(isDatabaseAway(thrown), false, String(thrown))
})

test('a broken connection counts only where it is known to be to the database', async () => {
  const pool = new FakePool()
  const before = pool.failure
  assert.equal(isDatabaseAway(before), false)
  noteFaultsOf(pool)
  await assert.rejects(pool.connect(), (error) => error === before && isDatabaseAway(error))
  pool.failure = errnoError('ENOTFOUND')
  pool.connect((error) => assert.ok(isDatabaseAway(error)))
  const client = new EventEmitter()
  pool.emit('connect', client)
  const [reset, bug] = [errnoError('ECONNRESET'), errnoError('ERR_ASSERTION')]
  client.emit('error', reset)
  client.emit('error', bug)
  assert.deepEqual([isDatabaseAway(reset), isDatabaseAway(bug)], [true, false])
  assert.equal(isDatabaseAway(errnoError('ECONNRESET')), false)
})

test('such an error becomes unavailable, not internal', () => {
  const { code, details, cause } = asRefusal(stateError('57P01'))
  assert.deepEqual([code, details.unavailable], ['unavailable', 'database'])
  assert.equal((cause as { code?: string }).code, '57P01')
  assert.equal(asRefusal(stateError('23505')).code, 'internal')
})
