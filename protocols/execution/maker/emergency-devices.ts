// Puts the devices a stop covers into their safe state, each proved by its report.
import type { OperationContext } from '@svc/contract/operation-context'
import { assertSafeState, listDevices, partId } from '../mote/api.ts'
import { uuidOf } from './name-uuid.ts'

/** A thousand devices each. */
const pages_max = 100

const failed = { confirmed: false, why: 'the service failed while telling it' } as const

export interface DeviceProof {
  readonly actuator_id: string
  readonly safe: boolean
  readonly why?: string
}

/** All in parallel: a queued device would stay unsafe meanwhile. Unsafe ones come first in the result. */
export async function makeDevicesSafe(
  context: OperationContext<'devices' | 'change_notifications'>,
  device_did: string | undefined,
  wait_ms: number,
): Promise<readonly DeviceProof[]> {
  const { tenant_id, devices, change_notifications, signal } = context
  const run: Parameters<typeof assertSafeState>[0]['run'] = (work) => context.apart(({ db }) => work(db))
  const actuators = await actuatorsOf(context, device_did)
  const proofs = await Promise.all(
    actuators.map(async (actuator_id): Promise<DeviceProof> => {
      const command_id = commandId(context, actuator_id)
      const order = { tenant_id, actuator_id, command_id, wait_ms, signal, ...whoAsks(context) }
      // A failure of one actuator must not hide the results of the others.
      const proof = await assertSafeState({ devices, change_notifications, run }, order).catch(() => failed)
      return proof.confirmed ? { actuator_id, safe: true } : { actuator_id, safe: false, why: proof.why }
    }),
  )
  return proofs.sort((a, b) => Number(a.safe) - Number(b.safe))
}

async function actuatorsOf(context: OperationContext, only: string | undefined): Promise<string[]> {
  const { tenant_id } = context
  const actuator_ids: string[] = []
  let after = ''
  for (let page = 0; page < pages_max; page++) {
    const listed = await context.apart(({ db }) =>
      listDevices(db, tenant_id, { after, ...(only !== undefined && { only }) }),
    )
    for (const { device_did, actuators } of listed)
      actuator_ids.push(...actuators.map((name) => partId({ device_did, name })))
    const last = listed.at(-1)
    if (!last) break
    after = last.device_did
  }
  return actuator_ids
}

function whoAsks({ caller, invoke }: OperationContext) {
  return { by_did: caller.did, correlation_id: invoke.correlation_id }
}

/** One command per actuator and stop, the same however often it is sent. */
function commandId({ record_id }: OperationContext, actuator_id: string): string {
  return uuidOf(`${record_id} ${actuator_id}`)
}
