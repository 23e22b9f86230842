import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMetricsPage } from './prometheus-text.ts'

const page = [
  '# HELP svc_x Of a \\\\ and a \\n line.',
  '# TYPE svc_x counter',
  'svc_x{path="a\\"b\\\\c\\nd",code="ok"} 3',
  'svc_x{path="e",code="ok"} 1.5e-7',
  '',
  '# HELP svc_h Times.',
  '# TYPE svc_h histogram',
  'svc_h_bucket{le="0.5"} 1',
  'svc_h_bucket{le="+Inf"} 2',
  'svc_h_sum 3.25',
  'svc_h_count 2',
]

test('a valid page is read, including escapes', () => {
  const families = readMetricsPage(`${page.join('\n')}\n`)
  assert.deepEqual([...families.keys()], ['svc_x', 'svc_h'])
  assert.deepEqual(families.get('svc_x')!.samples[0]!.labels, { path: 'a"b\\c\nd', code: 'ok' })
})

const wrong: Record<string, [at: number, line: string]> = {
  'a TYPE of something else': [1, '# TYPE svc_y counter'],
  'an unknown kind': [1, '# TYPE svc_x count'],
  'a quote that is not escaped': [2, 'svc_x{path="a"b"} 3'],
  'a label twice': [2, 'svc_x{code="a",code="b"} 3'],
  'a sample twice': [2, 'svc_x{code="ok",path="e"} 3'],
  'no number': [2, 'svc_x{code="b"} three'],
  'a sample under another': [3, 'svc_z 1'],
  'a family twice': [5, '# HELP svc_x Again.'],
  'buckets that fall': [7, 'svc_h_bucket{le="0.5"} 3'],
  'bounds that fall': [7, 'svc_h_bucket{le="+Inf"} 2'],
  'no last bucket': [8, 'svc_h_bucket{le="1"} 2'],
  'a count of another number': [10, 'svc_h_count 3'],
  'no sum': [9, ''],
}

for (const [name, [at, line]] of Object.entries(wrong)) {
  test(`${name} is refused`, () => {
    assert.throws(() => readMetricsPage(`${page.with(at, line).join('\n')}\n`), assert.AssertionError)
  })
}
