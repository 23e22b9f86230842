// The agent is refused, explains itself, asks for approval, and goes on once somebody has given it. Its arguments are the API key and the
// DID of whoever may approve; docs/frameworks.md shows the whole.
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@svc/sdk'
import { askAgent } from './agent.ts'
import { scriptedModel } from './scripted-model.ts'

const [apiKey, agentDid] = process.argv.slice(-2)
if (!apiKey || !agentDid) {
  console.error('Name the key and the DID of whoever may approve; docs/frameworks.md shows how.')
  process.exit(1)
}
const approver = createClient({ apiKey, agentDid })

/** Approves the first call of a tool that waits for it. */
async function approveOne(): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    const { items } = await approver.maxim.approvals({ side: 'to_decide', state: 'PENDING' })
    const waiting = items.find(({ operation }) => operation === 'begin_call')
    if (waiting) {
      await approver.maxim.approval_decide({ approval_id: waiting.approval_id, decision: 'approve' })
      console.log('approver: approved.')
      return
    }
    await sleep(100)
  }
  throw new Error('Nothing waited for an approval.')
}

const from = new Date().toISOString()
const model = scriptedModel()
console.log('agent:', await askAgent(model, 'The customer of order A-1042 wants 5000 back.'))
const [answer] = await Promise.all([askAgent(model, 'Then give 300 back.'), approveOne()])
console.log('agent:', answer)

const { records } = await createClient().max.audit_query({ from, limit: 100 }, { waitForAudit: true })
const shown_events = /^(Approval|Tool)|begin_call/
for (const { event_type, operation = '', outcome, meta } of records.toSorted(byTime)) {
  if (!shown_events.test(`${event_type} ${operation}`)) continue
  const { reason, supplied } = meta as { reason?: string; supplied?: { outcome?: string } }
  console.log('log:', [event_type, operation, outcome, reason ?? supplied?.outcome].filter(Boolean).join(' '))
}

function byTime(a: { timestamp: string }, b: { timestamp: string }): number {
  return a.timestamp.localeCompare(b.timestamp)
}
