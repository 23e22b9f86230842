// No single request blocks the engine: the worst inputs of every operation, found from its schema, are
// measured.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { announce, is_long, openChance } from '../../faults/scene/chance.ts'
import { type MeasuredEngine, startMeasured } from './measure.ts'
import { chartMemory, openMemoryGroup } from './memory-group.ts'
import { openScene, type Scene } from './scenes.ts'
import { findWorst, limits, type Measured, type Subject } from './search.ts'

/** Per operation. The short form takes a few of them, others with another seed. */
const effort = is_long ? { tries: 40, climbs: 20 } : { tries: 3, climbs: 1 }
const sampled = is_long ? Number.POSITIVE_INFINITY : 12
/** Set to try one operation again: `SVC_TEST_OPERATION=MAME.edit`. */
const only_operation = process.env.SVC_TEST_OPERATION

const chance = openChance()
const group = is_long
  ? openMemoryGroup(`svc-worst-${process.pid}`, chartMemory())
  : 'only the long form needs one'
let engine: MeasuredEngine
let scene: Scene

before(async () => {
  engine = await startMeasured(typeof group === 'string' ? undefined : group)
  scene = await openScene(engine.addresses)
})
after(async () => {
  await engine.stop()
  if (typeof group !== 'string') await group.close()
})

const subjects = catalogue.flatMap(({ id, operations }) =>
  Object.entries(operations).map(([operation, facts]) => ({
    name: `${id}.${operation}`,
    protocol: id,
    operation,
    facts,
  })),
)

function readsAuditLog({ facts }: (typeof subjects)[number]): boolean {
  return facts.needs?.includes('audit_log') ?? false
}

/** Each operation has its own seed, so that it can be tried again alone. */
function chanceOf(name: string) {
  let mixed = chance.seed
  for (const character of name) mixed = (Math.imul(mixed, 31) + character.charCodeAt(0)) >>> 0
  return openChance(mixed)
}

function subjectOf({ name, ...subject }: (typeof subjects)[number]): Subject {
  return { ...subject, base: scene.bases[name] ?? subject.facts.example }
}

function faultOf(name: string, { cpu_ms, bytes, ending, recipe }: Measured): string[] {
  if (cpu_ms <= limits.cpu_ms && bytes <= limits.bytes) return []
  const form = is_long ? 'SVC_TEST_ASSURANCE=1 ' : ''
  const again = `${form}SVC_TEST_SEED=${chance.seed} SVC_TEST_OPERATION=${name} node --test checks/security/worst/worst-inputs.slow.test.ts`
  const cost = `${cpu_ms.toFixed(1)} ms of the main thread and ${(bytes / 2 ** 20).toFixed(1)} MiB`
  return [`${name} (${ending}) takes ${cost} for ${recipe}; again with: ${again}`]
}

test('known worst inputs cost no more than any request may', async (t) => {
  const faults: string[] = []
  for (const subject of subjects) {
    const named = scene.named[subject.name] ?? []
    if (named.length === 0 || (only_operation && only_operation !== subject.name)) continue
    const worst = await findWorst(engine, subjectOf(subject), named, chance, { tries: 0, climbs: 0 })
    for (const { recipe, cpu_ms, bytes, ending } of worst)
      t.diagnostic(
        `${subject.name} ${recipe}: ${cpu_ms.toFixed(1)} ms, ${(bytes / 2 ** 20).toFixed(1)} MiB, ${ending}`,
      )
    faults.push(...worst.flatMap((one) => faultOf(subject.name, one)))
  }
  assert.deepEqual(faults, [])
})

test('no input found by the search costs more either', async (t) => {
  const chosen = subjects
    .filter(({ name }) => !only_operation || only_operation === name)
    .map((subject) => ({ subject, place: chanceOf(subject.name).below(2 ** 30) }))
    .sort((a, b) => a.place - b.place)
    .slice(0, sampled)
    // What reads the audit log comes first: it is the input that is measured, not how long the log has grown meanwhile.
    .sort((a, b) => Number(readsAuditLog(b.subject)) - Number(readsAuditLog(a.subject)))
  announce(t, import.meta.filename, chosen.length, chance)
  const faults: string[] = []
  for (const { subject } of chosen) {
    const { name } = subject
    const worst = await findWorst(engine, subjectOf(subject), [], chanceOf(name), effort)
    faults.push(...worst.flatMap((one) => faultOf(name, one)))
    const [most] = worst
    if (most)
      t.diagnostic(
        `${name} ${most.cpu_ms.toFixed(1)} ms, ${(most.bytes / 2 ** 20).toFixed(1)} MiB, ${most.ending}`,
      )
  }
  assert.deepEqual(faults, [])
})

test("the engine was measured in a memory cgroup of the chart's size", {
  skip: typeof group === 'string' && group,
}, () => {
  assert.ok(typeof group !== 'string' && group.bytes_max === chartMemory())
})
