// A stream or a waiting send of A2A is over for whoever lost the key it was opened with.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type A2aScene,
  ask,
  type Fields,
  fetchAs,
  register,
  startA2a,
} from '../../conformance/a2a/a2a-scene.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'

let scene: A2aScene
let cy: Addresses

before(async () => {
  scene = await startA2a()
  cy = await scene.newParty()
  await register(cy)
})
after(() => scene?.stop())

function send(who: Addresses, method: string, text: string): Promise<Response> {
  const message = { messageId: text, role: 'ROLE_USER', parts: [{ text }] }
  const headers = { 'a2a-version': '1.0', 'content-type': 'application/json' }
  return fetchAs(who, headers)(`${who.api_url}/a2a/${cy.agent_did}`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } }),
  })
}

const taken = async (): Promise<Fields> => {
  const mail = await until('the agent has mail', async () => {
    const { messages } = await ask(cy, 'MIM', 'message_receive', { max: 1 })
    return messages[0] as Fields | undefined
  })
  await ask(cy, 'MIM', 'message_receive', { max: 1, ack: [mail.receipt] })
  return mail
}

const reply = ({ reply_to: to, thread_id }: Fields, body: string) =>
  ask(cy, 'MIM', 'message_send', { to, thread_id, content_type: 'text/plain', body })

for (const method of ['SendStreamingMessage', 'SendMessage'])
  test(`${method} shows nothing that comes after its key was revoked`, async () => {
    const ann = await scene.newParty()
    const key_id = ann.api_key.split('_')[2]!
    const answering = send(ann, method, `hello ${method}`)
    const mail = await taken()
    await ask(ann, 'MACS', 'revoke_key', { key_id, reason: 'a test' })
    await reply(mail, 'secret of today')
    const text = await (await answering).text()
    assert.ok(!text.includes('secret of today'), text)
    assert.match(text, /"unauthenticated"/)
  })
