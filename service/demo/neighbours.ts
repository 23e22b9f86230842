// What the demo's organizations have outside the engine: a receiver of webhooks, and machines. The next start finds them again.
import { existsSync, readFileSync } from 'node:fs'
import type { Clock } from '@svc/engine/ports'
import { writeWhole } from '../assembly/developer.ts'
import type { MqttSettings } from '../settings/device-settings.ts'
import { type MachineKey, type Machines, newMachineKeys, openMachines } from './machines.ts'
import { openReceiver } from './receiver.ts'

const machines_of = 'demo-aurora'

interface Stored {
  readonly receiver_port: number
  readonly machines: readonly MachineKey[]
}

export interface Neighbours {
  readonly receiver_url: string
  readonly machine_keys: readonly MachineKey[]
  /** Undefined where devices are met at a broker that is not the demo's. They must be registered before. */
  openMachines(): Promise<Machines | undefined>
}

interface Parts {
  readonly clock: Pick<Clock, 'now_ms'>
  readonly chance: () => number
  readonly broker: DemoBroker
}

/** The engine's own, at any free port. */
export interface DemoBroker {
  readonly settings: MqttSettings
  /** Undefined where the engine has another. */
  port(): number | undefined
}

export function demoBroker(): DemoBroker {
  let taken: number | undefined
  const onListening = (port: number) => {
    taken = port
  }
  return { settings: { port: 0, onListening }, port: () => taken }
}

export async function newNeighbours(file: string, parts: Parts): Promise<Neighbours> {
  const stored = { receiver_port: await openReceiver(), machines: newMachineKeys(machines_of) }
  writeWhole(file, JSON.stringify(stored))
  return neighboursOf(stored, parts)
}

/** Reports go on. What is not to be had again, such as a port that others took, is told. */
export async function reopenNeighbours(
  file: string,
  parts: Parts,
  say: (line: string) => void,
): Promise<void> {
  // A demo of an earlier version has none.
  if (!existsSync(file)) return
  const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored
  const isAway = (what: string) => (error: Error) =>
    say(`${what} of the demo could not be started: ${error.message}`)
  await openReceiver(stored.receiver_port).catch(isAway('The receiver of webhooks'))
  const machines = await neighboursOf(stored, parts).openMachines().catch(isAway('The machines'))
  machines?.goOn(say)
}

function neighboursOf({ receiver_port, machines }: Stored, { broker, ...parts }: Parts): Neighbours {
  return {
    receiver_url: `http://127.0.0.1:${receiver_port}`,
    machine_keys: machines,
    async openMachines() {
      const port = broker.port()
      return port === undefined
        ? undefined
        : await openMachines({ ...parts, port, tenant_id: machines_of }, machines)
    },
  }
}
