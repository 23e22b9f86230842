import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { deviceName, didOfDevice } from '@svc/contract/needs/devices'
import { privateKeyOf, signText } from '@svc/contract/signing/signature'
import fc from 'fast-check'
import { type Descriptor, descriptorFault, descriptorInput } from './device-descriptor.ts'
import { readAck, readReported, readTelemetry, report_bytes_max, reportInput } from './device-report.ts'
import { parseTopic, partId, partOf } from './device-topic.ts'

const { did, public_key, private_key } = newIdentity('acme', 'service')
const own_key = privateKeyOf(Buffer.from(private_key, 'base64url'))
const now = new Date('2026-11-18T10:00:00.000Z')
const sensor = { id: 'temperature', unit: 'Cel', low: -40, high: 120 }
const device = { public_key }
const topic = `svc/acme/${deviceName(did)}/telemetry/temperature`
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const device_descriptor = {
  device_did: did,
  public_key,
  seq: 1,
  at: now.toISOString(),
  sensors: [sensor],
  actuators: [{ id: 'valve', fields: { open: { kind: 'flag' as const } }, safe_state: { open: false } }],
}
const signed = (other: object = {}) => {
  const whole = { ...device_descriptor, ...other } as Omit<Descriptor, 'sig'>
  return { ...whole, sig: signText(own_key, descriptorInput(whole)) }
}

test('a descriptor must be complete, plausible, and signed by the key of its DID', () => {
  assert.equal(descriptorFault(signed(), did, now), undefined)
  const another = newIdentity('acme', 'service')
  const faults: [unknown, string][] = [
    [undefined, 'descriptor malformed'],
    [{ ...signed(), more: 1 }, 'descriptor malformed'],
    [signed({ seq: 2 ** 60 }), 'descriptor malformed'],
    [signed({ device_did: another.did }), 'descriptor of another device'],
    [signed({ public_key: another.public_key }), 'public key does not match DID'],
    [{ ...signed(), seq: 2 }, 'signature invalid'],
    [signed({ at: '2026-11-18T10:02:00Z' }), 'descriptor from the future'],
    [signed({ sensors: [sensor, sensor] }), 'two parts have one name'],
    [signed({ sensors: [{ ...sensor, id: 'valve' }] }), 'two parts have one name'],
    [signed({ sensors: [{ ...sensor, low: 120 }] }), 'temperature measures nothing'],
  ]
  for (const [candidate, fault] of faults) assert.equal(descriptorFault(candidate, did, now), fault)
})

test('for any bytes, a reading is finite, timely and in its unit, or a fault', () => {
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .record({
        v: fc.oneof(fc.double(), fc.string(), fc.constant(null)),
        at: fc.oneof(
          fc.date({ noInvalidDate: false }).map((date) => String(date.getTime())),
          fc.constant(now.toISOString()),
        ),
        seq: fc.oneof(fc.integer(), fc.double()),
      })
      .map(bytes),
  )
  fc.assert(
    fc.property(payload, (report_bytes) => {
      for (const read of [
        readTelemetry(topic, report_bytes, sensor, device, now),
        readAck(topic, report_bytes, device, now),
        readReported(topic, report_bytes, device_descriptor.actuators[0]!, device, now),
      ])
        if (!('fault' in read) && 'value' in read)
          assert.ok(Number.isFinite(read.value) && Number.isSafeInteger(read.seq) && read.observed_at <= now)
    }),
  )
})

test('a signature must match the reading and its sensor, and is mandatory if required', () => {
  const reading = { v: 20, unit: 'Cel', at: now.toISOString(), seq: 1 }
  const sig = signText(own_key, reportInput(topic, reading))
  const read = (report: object, at_topic = topic, signed_readings = false) =>
    readTelemetry(at_topic, bytes(report), sensor, { ...device, signed_readings }, now)
  assert.ok('value' in read(reading))
  assert.ok('value' in read({ ...reading, sig }, topic, true))
  assert.deepEqual(read(reading, topic, true), { fault: 'signature missing' })
  assert.deepEqual(read({ ...reading, v: 21, sig }), { fault: 'signature invalid' })
  assert.deepEqual(read({ ...reading, sig }, `${topic}x`), { fault: 'signature invalid' })
  assert.deepEqual(read({ ...reading, unit: 'K' }), { fault: 'unit of another kind' })
  assert.deepEqual(read({ ...reading, at: '2026-02-30T00:00:00Z' }), { fault: 'reading not of this time' })
  const large = Buffer.concat([bytes(reading), Buffer.alloc(report_bytes_max, 0x20)])
  assert.deepEqual(readTelemetry(topic, large, sensor, device, now), { fault: 'report malformed' })
})

test('text that cannot be signed or stored invalidates only its own report', () => {
  for (const unit of ['\\ud800', '\\u0000']) {
    const text = `{"v":20,"unit":"${unit}","at":"${now.toISOString()}","seq":1,"sig":"${'A'.repeat(86)}"}`
    assert.deepEqual(readTelemetry(topic, Buffer.from(text), sensor, device, now), {
      fault: 'report malformed',
    })
  }
})

test('a topic belongs to the device and tenant it names, or to none', () => {
  assert.deepEqual(parseTopic(topic), {
    tenant_id: 'acme',
    device_did: did,
    kind: 'telemetry',
    name: 'temperature',
  })
  assert.equal(parseTopic(`svc/acme/${deviceName(did)}/descriptor`)?.name, '')
  assert.equal(didOfDevice('acme', deviceName(did)), did)
  const elsewhere = parseTopic(topic.replace('svc/acme', 'svc/rival'))
  assert.notEqual(
    elsewhere?.device_did,
    did,
    'under another tenant it is another device, which nobody registered',
  )
  for (const wrong of [
    topic.replace('telemetry', 'command'),
    `${topic}/more`,
    `svc/acme/${deviceName(did)}/telemetry`,
    `svc/acme/${deviceName(did)}/descriptor/x`,
    `svc/acme/${deviceName(did)}/telemetry/Temp`,
    'svc/acme/x/descriptor',
    '',
  ])
    assert.equal(parseTopic(wrong), undefined, wrong)
  assert.deepEqual(partId(partOf(`${did}/valve`)), `${did}/valve`)
})
