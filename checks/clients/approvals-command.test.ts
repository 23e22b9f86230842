// svc approvals, svc invoke and the SDK against an engine: a call waits, is shown, decided and sent again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdmin } from '@svc/contract/identity/identity'
import { createClient } from '@svc/sdk'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { clientEnv, testTerminal } from './test-terminal.ts'

let service: InProcessService
let caller: Addresses
let approver: Addresses

before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), capabilities: [], name: `Agent ${did.slice(-4)}` },
    }),
  }
  service = await startInProcess({ identity })
  const entry = { name: 'svc.max.audit_log_entry', caveats: ['approval:role:finance'] }
  caller = await service.newCaller({ capabilities: [entry, 'svc.maxim.approval_get', 'svc.maxim.approvals'] })
  approver = await service.newCaller({ capabilities: ['svc.maxim.*', 'svc.role.finance'] })
})
after(() => service.stop())

async function svc(who: Addresses, ...argv: string[]) {
  const terminal = testTerminal({ env: clientEnv(who), columns: 100 })
  const code = await runCli(argv, terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

const entryOf = (event_type: string) => JSON.stringify({ event_type, meta: {} })
const invoke = (event_type: string, ...more: string[]) =>
  svc(caller, 'invoke', 'MAX', 'audit_log_entry', '--input', entryOf(event_type), ...more)
const listed = async (who: Addresses, ...more: string[]) =>
  JSON.parse((await svc(who, 'approvals', 'list', '-o', 'json', ...more)).out).items

test('a call that waits exits with 9, is listed and shown, and passes once it is approved', async () => {
  const refused = await invoke('custom.first')
  assert.equal(refused.code, 9, refused.err)
  assert.match(refused.err, /approval_required: .* needs the approval of role finance/)
  assert.match(refused.err, /--wait-for-approval/)
  const [{ approval_id }] = await listed(approver)
  const shown = await svc(approver, 'approvals', 'show', approval_id, '-o', 'human')
  assert.match(shown.out, /custom\.first/)
  assert.equal((await listed(caller, '--requested')).length, 1)
  const approved = await svc(approver, 'approvals', 'approve', approval_id, '--note', 'Fine.')
  assert.equal(approved.code, 0, approved.err)
  assert.equal((await invoke('custom.first')).code, 0)
  assert.deepEqual(await listed(approver), [])
  assert.equal((await listed(approver, '--state', 'used'))[0].approval_id, approval_id)
})

test('a refused call exits as a policy denial', async () => {
  await invoke('custom.second')
  const [{ approval_id }] = await listed(approver)
  assert.equal((await svc(approver, 'approvals', 'refuse', approval_id)).code, 0)
  assert.equal((await invoke('custom.second')).code, 7)
})

test('wrong usage is named, with what to do instead', async () => {
  assert.match((await svc(approver, 'approvals', 'aprove', 'x')).err, /approve/)
  assert.match((await svc(approver, 'approvals', 'show')).err, /svc approvals list/)
  assert.match((await svc(approver, 'approvals', 'list', '--state', 'open')).err, /pending/)
  assert.match((await invoke('custom.x', '--wait-for-approval', '5', '--stream')).err, /--stream/)
})

test('the SDK waits for the decision, then sends the same call once more', async () => {
  const { api_url: apiUrl, api_key: apiKey, agent_did: agentDid, tenant_id: tenantId } = caller
  let slept = 0
  const sleep = async () => {
    slept++
    const [item] = slept === 2 ? await listed(approver) : []
    if (item) await svc(approver, 'approvals', 'approve', item.approval_id)
  }
  const client = createClient({ apiUrl, apiKey, agentDid, tenantId, sleep })
  const input = { event_type: 'custom.third', meta: {} }
  const { output } = await client.dispatch('MAX', 'audit_log_entry', input, { waitForApprovalMs: 60_000 })
  assert.deepEqual([output.stored_event_type, slept], ['custom.third', 2])
})
