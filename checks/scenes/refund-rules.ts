// The rules of docs/policies.md on refunds, in force, and somebody who can approve: for agents whose tool is governed.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { system_clock } from '@svc/adapters/clock/system'
import { blocks } from '../documents/documents.ts'
import { dispatch, type RunningEngine } from '../engines/running-engine.ts'
import { eventually } from '../suite/eventually.ts'

const main = join(import.meta.dirname, '../../service/main.ts')

/** The settings of somebody with the role finance. */
export async function enactRefundRules(
  engine: RunningEngine,
  data_dir: string,
): Promise<{ SVC_API_URL: string; SVC_AGENT_DID: string; SVC_API_KEY: string }> {
  const { tenant_id, api_url } = engine
  const admin = async (form: RegExp, password: string, ...args: string[]) => {
    const running = promisify(execFile)(process.execPath, [main, 'admin', ...args, '--data-dir', data_dir])
    running.child.stdin!.end(`${password}\n`)
    return form.exec((await running).stdout)![0]
  }
  const password = 'a long and good password'
  const did = await admin(/did:\S+/, password, 'user', 'add', tenant_id, 'anna', '--role', 'finance')
  const key = ['key', 'issue', tenant_id, '--did', did, '--capability', 'svc.maxim.*']
  const api_key = await admin(/svc_live_\S+/, '', ...key)
  const { code: policy_body } = blocks.find(
    ({ path, language, code }) =>
      path === 'docs/policies.md' && language === 'cedar' && code.includes('"refund"'),
  )!
  const active_from = new Date(system_clock.now_ms()).toISOString()
  const rules = { policy_id: 'refunds', version: '1.0.0', active_from, policy_body }
  await mustBe(200, dispatch(engine, { protocol: 'MAXIM', operation: 'author', input: rules }))
  // In force within a second.
  const input = { tool: 'refund', arguments: { amount: 5000 } }
  await eventually(() => mustBe(422, dispatch(engine, { protocol: 'MAT', operation: 'begin_call', input })))
  return { SVC_API_URL: api_url, SVC_AGENT_DID: did, SVC_API_KEY: api_key }
}

async function mustBe(status: number, asking: ReturnType<typeof dispatch>): Promise<void> {
  const answer = await asking
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
}
