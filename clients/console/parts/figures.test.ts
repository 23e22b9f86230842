import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bytesText,
  changeText,
  countText,
  dayText,
  durationText,
  energyText,
  measureText,
  moneyText,
  plural,
  rateText,
  relativeText,
  unitsText,
} from './figures.ts'

test('money has cents, and two digits below a cent', () => {
  assert.deepEqual(['0', '12.345678', '0.000012', '1234567.891', '-3.5', '0.004321'].map(moneyText), [
    '$0.00',
    '$12.35',
    '$0.000012',
    '$1,234,567.89',
    '-$3.50',
    '$0.0043',
  ])
})

test('a day has no year, and is the same everywhere', () => {
  assert.deepEqual(['2026-11-01', '2026-12-31'].map(dayText), ['Nov 1', 'Dec 31'])
})

test('a rate is by the minute where it is less than one a second', () => {
  assert.deepEqual([0.0734, 0.5, 1, 9.591].map(rateText), [
    '4 per minute',
    '30 per minute',
    '1 per second',
    '9.59 per second',
  ])
})

test('minor units are exact decimal numbers, however many', () => {
  const units = [
    ['1500000', 6, '1.5'],
    ['-1', 6, '-0.000001'],
    ['0', 2, '0'],
    ['7', 0, '7'],
    ['123456789012345678901234567890', 6, '123456789012345678901234.56789'],
  ] as const
  for (const [minor, decimals, text] of units) assert.equal(unitsText(minor, decimals), text)
})

test('one record, two records', () => {
  assert.deepEqual(
    [plural(1, 'record'), plural(0, 'record'), plural(1200, 'record')],
    ['1 record', '0 records', '1,200 records'],
  )
  assert.deepEqual([7, 9999, 12_345, 1_250_000, 0.02406].map(countText), [
    '7',
    '9,999',
    '12.3K',
    '1.25M',
    '0.0241',
  ])
})

test('durations in the unit people use, and no forecast of thousands of years', () => {
  const day = 86_400_000
  assert.deepEqual(
    [0.4, 12, 1234, 65_000, 3_700_000, 1.5 * day, 400 * day, 3_536_531 * day].map(durationText),
    ['0.4 ms', '12 ms', '1.23 s', '1 min 5 s', '1 h 1 min', '1 day 12 h', '1 year 34 days', '10+ years'],
  )
})

test('energy and bytes without exponents', () => {
  assert.deepEqual([0, 0.000018, 0.25, 12, 3400, 5e6].map(energyText), [
    '0 Wh',
    '18 µWh',
    '250 mWh',
    '12 Wh',
    '3.4 kWh',
    '5 MWh',
  ])
  assert.deepEqual([0, 1023, 1536, 1024 ** 3].map(bytesText), ['0 B', '1,023 B', '1.5 KiB', '1 GiB'])
})

test('times are relative', () => {
  const now = Date.parse('2026-11-18T12:00:00Z')
  assert.equal(relativeText('2026-11-18T11:59:58Z', now), 'just now')
  assert.equal(relativeText('2026-11-18T11:57:00Z', now), '3 min. ago')
  assert.equal(relativeText('2026-11-19T12:00:00Z', now), 'tomorrow')
})

test('a change says its direction, and nothing where there was nothing before', () => {
  assert.deepEqual(
    [changeText(15, 10), changeText(5, 10), changeText(10, 10), changeText(3, 0)],
    ['+50%', '−50%', '±0%', undefined],
  )
})

test('a measured value has the sign that people write, and three digits', () => {
  assert.deepEqual(
    [measureText(22.391, 'Cel'), measureText(48.43, '%RH'), measureText(2.9, 'mm/s'), measureText(60)],
    ['22.4 °C', '48.4 % RH', '2.9 mm/s', '60'],
  )
})
