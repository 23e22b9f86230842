// One vocabulary of the stages: contract/stage.ts. Dry run, explanations, console and docs use its titles and no others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { stages } from '@svc/contract/stage'
import type { Call } from '@svc/engine/call'
import { describeStages } from '@svc/engine/dry-run'
import { traceGraph } from '@svc/protocols/awareness/max/trace-graph'
import { stage_names } from '../../clients/cli/output/stage-names.ts'
import { storyOf } from '../../clients/console/pages/requests/stage-story.ts'

const titles = stages.map(({ title }) => title)
const recordAt = (stage: number) =>
  ({
    event_type: 'SecurityViolation',
    record_hash: `${stage}`,
    outcome: 'refused',
    meta: { stage },
  }) as unknown as AuditRecord

test('stages are numbered by their place in the table', () => {
  assert.deepEqual(
    stages.map(({ number }) => number),
    [...stages.keys()],
  )
})

test('a dry run names the stages up to the invocation', () => {
  const call = { asked: { request: {} } } as unknown as Call
  const { stages: described } = describeStages(call, undefined)
  assert.deepEqual(
    described.map(({ name }) => name),
    titles.slice(0, 8),
  )
})

test('explanations of MAX, the command line and the console use the titles', () => {
  const { nodes } = traceGraph('c', [...stages.keys()].map(recordAt), 9)
  const labels = nodes.filter(({ type }) => type === 'stage').map(({ label }) => label)
  assert.deepEqual(labels, titles)
  assert.deepEqual(stage_names, titles)
  const story = storyOf({ ...recordAt(4), timestamp: '' } as Parameters<typeof storyOf>[0])
  assert.deepEqual(
    story.map(({ name }) => name),
    titles,
  )
})

test('docs/lifecycle.md draws the stages under their titles', () => {
  const page = readFileSync(new URL('../../docs/lifecycle.md', import.meta.url), 'utf8')
  const drawn = [...page.matchAll(/^\| (\d) (.+?) \|/gm)]
  assert.deepEqual(
    drawn.map(([, number, title]) => `${number} ${title}`),
    stages.map(({ number, title }) => `${number} ${title}`),
  )
  const picture = readFileSync(new URL('../../docs/pictures/lifecycle.svg', import.meta.url), 'utf8')
  for (const { number, title } of stages) assert.ok(picture.includes(`>${number} ${title}<`), title)
})
