// Runs the action supervisor, with the programs, requests and devices it may use.
import { hostname } from 'node:os'
import { addressGuard } from '@svc/adapters/outbound/address-guard'
import { openOutbound } from '@svc/adapters/outbound/outbound'
import { groupMembers } from '@svc/adapters/processes/group-members'
import { startGroup } from '@svc/adapters/processes/process-group'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import { findCommand } from '@svc/contract/needs/commands'
import type { Devices } from '@svc/contract/needs/devices'
import { refuse } from '@svc/contract/refusal'
import type { Clock, Log } from '@svc/engine/ports'
import { ActionSupervisor, type Means, maker_topic, uuidOf } from '@svc/protocols/execution/maker/api'
import type { Executor } from '@svc/protocols/execution/moon/api'
import { assertSafeState } from '@svc/protocols/execution/mote/api'
import type { Config } from '../settings/config.ts'
import { every } from './tick.ts'

const look_every_ms = 250
const beat_every_ms = 1_000
const request_ms_max = 86_400_000
const answer_bytes_max = 1024 * 1024

interface Parts {
  readonly store: PostgresStore
  readonly run_executor: Pick<Executor, 'perform' | 'vaultOf' | 'transaction'>
  readonly devices: Devices
  readonly change_notifications: ChangeNotifications
  readonly clock: Clock
  readonly log: Log
}

export function openActions(config: Config, parts: Parts, closing: (() => Promise<unknown>)[]): void {
  const { store, run_executor, change_notifications, clock, log } = parts
  const supervisor = new ActionSupervisor({
    ...run_executor,
    ...meansOf(config, parts),
    db: store.engine,
    supervisor: clock.uuid(),
    host: hostname(),
    isGroupGone: async (process_group) => (await groupMembers(process_group))?.length === 0,
    change_notifications,
    clock,
    onFailure: (error, action_id) =>
      log.warn({ err: error, action_id }, 'an action could not be supervised; trying again'),
  })
  const leaving = new AbortController()
  const listening = change_notifications.listen(maker_topic)
  const follow = async () => {
    while (!leaving.signal.aborted) {
      await supervisor
        .takeUp()
        .catch((error) => log.warn({ err: error }, 'no action could be started; trying again'))
      // A stop request also notifies, so actions to stop are found at once, not at the next tick.
      if (await listening.heard(look_every_ms, leaving.signal)) {
        await supervisor
          .look()
          .catch((error) => log.warn({ err: error }, 'actions could not be checked; trying again'))
      }
    }
  }
  const following = follow()
  const timer = every(beat_every_ms, () => supervisor.look(), log)
  closing.push(async () => {
    leaving.abort()
    await following
    listening.close()
    clearInterval(timer)
    await supervisor.close()
  })
}

function meansOf(config: Config, { run_executor, devices, change_notifications, store }: Parts): Means {
  const { commands, tool_hosts, allowed_networks, tls } = config
  const options = { guard: addressGuard(allowed_networks), ca: tls.authorities, once: true }
  const run = async <Result>(work: (db: Database) => Promise<Result>) =>
    store.engine.transaction((transaction) => work(transaction))
  return {
    perform: run_executor.perform,
    async startScript(ref, tenant_id, input) {
      const command = findCommand(commands, ref, tenant_id)
      if (!command) return undefined
      const group = await startGroup(command)
      group.stdin.end(input)
      return group
    },
    async request(url, ask, signal) {
      const request = readRequest(url, ask, tool_hosts)
      const outbound = openOutbound(request.origin, options)
      try {
        const { status, body } = await outbound.send({
          ...request,
          timeout_ms: request_ms_max,
          signal,
          answer_bytes_max,
        })
        return { status, body: body.toString() }
      } finally {
        outbound.close()
      }
    },
    safeState({ tenant_id, action_id, owner_did, correlation_id, ask }, wait_ms) {
      const { actuator_id } = ask.executor as { actuator_id: string }
      const command_id = uuidOf(`${action_id} ${actuator_id}`)
      const order = { tenant_id, actuator_id, command_id, by_did: owner_did, correlation_id, wait_ms }
      return assertSafeState({ devices, change_notifications, run }, order)
    },
  }
}

/** Headers that frame the message or choose the host: a caller could use them to reach a host that is not listed. */
const our_headers =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/i

/** Only hosts that the operator lists, as for tools. */
function readRequest(target: string, ask: Readonly<Record<string, unknown>>, hosts: readonly string[]) {
  const url = URL.parse(target)
  const { method = 'GET', headers = {}, body } = ask
  if (!url || !hosts.includes(url.host)) {
    throw refuse('policy_denied', 'That host is not allowed; ask the operator to add it to SVC_TOOL_HOSTS.', {
      reason: 'host not allowed',
    })
  }
  if (method !== 'GET' && method !== 'POST')
    throw refuse('invalid_payload', 'The method of an http_request must be GET or POST.', {
      reason: 'method',
    })
  if (typeof headers !== 'object' || headers === null)
    throw refuse('invalid_payload', 'The headers of an http_request must be an object.', {
      reason: 'headers',
    })
  const text = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const ours = text.find(([name]) => our_headers.test(name!))
  if (ours)
    throw refuse('policy_denied', `An http_request may not set ${ours[0]}; omit it.`, {
      reason: 'header not allowed',
    })
  return {
    origin: url.origin,
    method: method as 'GET' | 'POST',
    path: url.pathname + url.search,
    headers: Object.fromEntries(text) as Record<string, string>,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}
