import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMqttSettings } from './device-settings.ts'
import { reader } from './reader.ts'

const read = (env: Record<string, string>) => readMqttSettings(reader(env, 'up'))

test('no broker unless one is named; a port for our own', () => {
  assert.equal(read({}), undefined)
  assert.deepEqual(read({ SVC_MQTT_PORT: '0' }), { port: 0 })
  const outside = read({
    SVC_MQTT_URL: 'mqtts://b.example:8883',
    SVC_MQTT_USERNAME: 'u',
    SVC_MQTT_PASSWORD: 'p',
  })
  assert.deepEqual(outside, {
    url: 'mqtts://b.example:8883',
    username: 'u',
    password: 'p',
    client_id: undefined,
  })
  assert.ok(read({ SVC_MQTT_URL: 'mqtt://127.0.0.1:1883' }))
})

test('later errors are reported at once, without possible secrets', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{ SVC_MQTT_PORT: '70000' }, /SVC_MQTT_PORT is 70000/],
    [{ SVC_MQTT_URL: 'http://b.example' }, /must be an address/],
    [{ SVC_MQTT_URL: 'mqtt://b.example' }, /must be mqtts/],
    [{ SVC_MQTT_URL: 'mqtts://me:secret@b.example' }, /^(?!.*secret).*SVC_MQTT_PASSWORD/],
    [{ SVC_MQTT_URL: 'mqtts://b.example', SVC_MQTT_PORT: '1' }, /set only one of them/],
    [{ SVC_MQTT_URL: 'mqtts://b.example', SVC_MQTT_CLIENT_ID: 'a b' }, /SVC_MQTT_CLIENT_ID/],
  ]
  for (const [env, message] of wrong) assert.throws(() => read(env), message)
})
