// Compares the breaker with a naive model of the spec: it keeps every event and recomputes everything for each
// question.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { memoryBreaker } from './memory.ts'

type Step =
  | { readonly do: 'call'; readonly fails: boolean; readonly begun_ago_ms: number }
  | { readonly do: 'probe'; readonly passes: boolean }
  | { readonly do: 'wait'; readonly ms: number }

class Model {
  now_ms = 0
  state = 'CLOSED'
  moves: string[] = []
  #ended: { at_ms: number; failed: boolean }[] = []
  #k = 0
  #retry_at_ms = 0
  #closed_at_ms = Number.NEGATIVE_INFINITY
  #probe_due_ms = 0
  #probes: boolean[] = []
  #first = true

  call(fails: boolean, begun_ms: number): void {
    if (this.state !== 'CLOSED' || begun_ms < this.#closed_at_ms) return
    this.#ended.push({ at_ms: this.now_ms, failed: fails })
    const second = (at_ms: number) => Math.floor(at_ms / 1000)
    const recent = this.#ended.filter(({ at_ms }) => second(at_ms) > second(this.now_ms) - 30)
    const failures = recent.filter(({ failed }) => failed).length
    if (fails && failures >= 5 && failures * 2 >= recent.length) this.#open()
  }

  /** Whether the probe ran. */
  probe(passes: boolean): boolean {
    if (this.state === 'OPEN' && this.now_ms >= this.#retry_at_ms) this.#move('HALF_OPEN')
    if (this.state === 'OPEN') return false
    if (this.state === 'CLOSED' && this.now_ms < this.#probe_due_ms) return false
    this.#probe_due_ms = this.now_ms + (this.#first ? 7_500 : 9_500)
    this.#first = false
    this.#probes.push(passes)
    if (this.state === 'CLOSED') {
      const last = this.#probes.slice(-3)
      if (last.length === 3 && !last.includes(true)) this.#open()
    } else if (!passes) this.#open()
    else if (this.#probes.length === 2) this.#close()
    return true
  }

  #open(): void {
    this.#retry_at_ms = this.now_ms + Math.min(300_000, 10_000 * 2 ** this.#k++)
    this.#move('OPEN')
  }
  #close(): void {
    this.#k = 0
    this.#ended = []
    this.#closed_at_ms = this.now_ms
    this.#move('CLOSED')
  }
  #move(to: string): void {
    this.moves.push(`${this.state} ${to}`)
    this.state = to
    this.#probes = []
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      fails: fc.integer({ min: 0, max: 9 }).map((n) => n < 6),
      begun_ago_ms: fc.oneof(fc.constant(0), fc.nat(40_000)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('probe' as const), passes: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(2_000), fc.nat(12_000), fc.nat(400_000)),
    }),
  },
)

const places = [{ protocol: 'TRY', endpoint: 'e' }]
/** HALF_OPEN is left only by probes, and OPEN never leads to CLOSED directly. */
const legal = ['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN OPEN', 'HALF_OPEN CLOSED']

test("for any order of events it is in the model's state, and reports each transition once", async () => {
  const visited = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 150, size: 'max' }), async (steps) => {
      // The middle of the random range: no jitter either way, and half of the spread.
      const clock = { ...manualClock('2026-11-15T10:00:00.000Z'), random: () => 0.5 }
      const moves: string[] = []
      const breaker = memoryBreaker(clock, ({ from, to }) => moves.push(`${from} ${to}`))
      const model = new Model()
      for (const next of steps) {
        if (next.do === 'wait') {
          clock.advance(next.ms)
          model.now_ms += next.ms
        } else if (next.do === 'call') {
          const begun_ms = clock.monotonic_ms() - next.begun_ago_ms
          if (next.fails) breaker.failed('TRY', 'e', 'timeout', begun_ms)
          else breaker.succeeded('TRY', 'e', begun_ms)
          model.call(next.fails, begun_ms)
        } else {
          let ran = false
          await breaker.probe(async () => {
            ran = true
            return next.passes
          }, places)
          assert.equal(ran, model.probe(next.passes))
        }
        assert.deepEqual(moves, model.moves)
        assert.equal(breaker.states()[0]?.state ?? 'CLOSED', model.state)
        const refused = breaker.blocked('TRY', 'e', 0)
        // Called this often in one turn, a circuit that has just closed may be at its limit.
        if (model.state === 'CLOSED') assert.equal(refused?.state ?? 'recovering', 'recovering')
        else assert.equal(refused?.state, model.state)
      }
      for (const move of moves) visited.add(move)
    }),
    { numRuns: 300 },
  )
  assert.deepEqual([...visited].sort(), legal.toSorted(), 'every legal transition happened, and no other')
})
