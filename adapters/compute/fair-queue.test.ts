import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue, type QueuedJob, sharesOf, tenant_waiting_max, waiting_max } from './fair-queue.ts'

const long_ms = 60_000
const short_ms = 1_000

function job(tenant_id: string, deadline_ms = long_ms): QueuedJob {
  return { tenant_id, deadline_ms }
}

function takeAll(queue: FairQueue<QueuedJob>, now_ms: number): QueuedJob[] {
  const taken: QueuedJob[] = []
  for (let next = queue.take(now_ms); next; next = queue.take(now_ms)) taken.push(next)
  return taken
}

test('a tenant leaves a worker to others, and long work leaves one to short work', () => {
  assert.deepEqual(sharesOf(3), { tenant_max: 2, tenant_long_max: 1, long_max: 2 })
  assert.deepEqual(sharesOf(9), { tenant_max: 8, tenant_long_max: 4, long_max: 8 })
  assert.deepEqual(sharesOf(1), { tenant_max: 1, tenant_long_max: 1, long_max: 1 })
  const queue = new FairQueue(sharesOf(3))
  for (let n = 0; n < 4; n++) queue.add(job('a'), 0)
  for (let n = 0; n < 4; n++) queue.add(job('a', short_ms), 0)
  assert.deepEqual(
    takeAll(queue, 0).map(({ deadline_ms }) => deadline_ms),
    [long_ms, short_ms],
    'one long and one short job of a, though six more wait',
  )
  queue.add(job('b'), 0)
  queue.add(job('c'), 0)
  assert.deepEqual(
    takeAll(queue, 0),
    [job('b')],
    'c waits: two long jobs run, and the third worker is for short work',
  )
  queue.add(job('c', short_ms), 0)
  assert.deepEqual(takeAll(queue, 0), [job('c', short_ms)])
})

test('the tenant that used the workers least comes first, in any order of arrival', () => {
  const queue = new FairQueue(sharesOf(1))
  for (let n = 0; n < 3; n++) queue.add(job('slow'), 0)
  for (let n = 0; n < 10; n++) queue.add(job('quick', short_ms), 0)
  let now_ms = 0
  const order: string[] = []
  for (let next = queue.take(now_ms); next; next = queue.take(now_ms)) {
    order.push(next.tenant_id)
    now_ms += next.tenant_id === 'slow' ? 1_000 : 100
    queue.remove(next, now_ms)
  }
  const quick = Array<string>(10).fill('quick')
  assert.deepEqual(order, ['slow', ...quick, 'slow', 'slow'])
})

test('an absent tenant earns no credit, and one that leaves and returns keeps its usage', () => {
  const queue = new FairQueue(sharesOf(1))
  const take = (now_ms: number) => queue.take(now_ms)!
  queue.add(job('a'), 0)
  const first = take(0)
  queue.add(job('b'), 0)
  queue.remove(first, 5_000)
  queue.add(job('a'), 5_000)
  const second = take(5_000)
  assert.equal(second.tenant_id, 'b', 'a has used five seconds, though its line was empty for a moment')
  for (let n = 0; n < 2; n++) queue.add(job('late'), 9_000)
  queue.remove(second, 10_000)
  const third = take(10_000)
  assert.equal(third.tenant_id, 'late', 'it began where b was, at four seconds')
  queue.remove(third, 12_000)
  assert.equal(
    take(12_000).tenant_id,
    'a',
    'not late again, which has used far less than five seconds in all',
  )
})

test('the waiting jobs of one tenant are limited, even in an empty queue', () => {
  const queue = new FairQueue(sharesOf(2))
  for (let n = 0; n < tenant_waiting_max; n++)
    assert.deepEqual(queue.add(job('a'), 0), { dropped: undefined })
  assert.deepEqual(queue.add(job('a'), 0), { refused: 'tenant' })
  assert.deepEqual(
    queue.add(job('a', short_ms), 0),
    { dropped: undefined },
    'its short work is still accepted',
  )
  assert.deepEqual(queue.add(job('b'), 0), { dropped: undefined })
})

test('in a full queue the tenant with the most waiting jobs gives way', () => {
  const queue = new FairQueue(sharesOf(2))
  const hogs = waiting_max / tenant_waiting_max
  for (let hog = 0; hog < hogs; hog++)
    for (let n = 0; n < tenant_waiting_max; n++) queue.add(job(`hog${hog}`), 0)
  assert.equal(queue.waiting, waiting_max)
  const { dropped } = queue.add(job('b'), 0) as { dropped: QueuedJob }
  assert.match(dropped.tenant_id, /^hog/)
  assert.equal(queue.waiting, waiting_max)
  for (let n = 0; n < tenant_waiting_max * 2; n++) queue.add(job('b'), 0)
  assert.equal(queue.waiting, waiting_max)
  const shares = Map.groupBy(queue.drain(), ({ tenant_id }) => tenant_id)
  assert.ok(shares.get('b')!.length >= waiting_max / (hogs + 1) - 1, 'an equal share of the queue')
})

test('a hundred thousand tenants leave no state, even while somebody always waits', () => {
  const queue = new FairQueue(sharesOf(2))
  for (let n = 0; n < 4; n++) queue.add(job('patient'), 0)
  for (let n = 0; n < 100_000; n++) {
    const passing = job(`tenant${n}`, short_ms)
    queue.add(passing, n)
    queue.remove(passing, n)
  }
  assert.ok(queue.tenants <= 2 * waiting_max, `${queue.tenants} are remembered`)
  for (const left of queue.drain()) queue.remove(left, 0)
  assert.equal(queue.tenants, 0)
})
