// The devices a stop covers are made safe, each proved by what it reports.
import type { OperationContext } from '@svc/contract/operation-context'
import { assertSafeState } from './actuator-safe-state.ts'
import { listDevices } from './device-store.ts'
import { partId } from './device-topic.ts'
import { uuidOf } from './name-uuid.ts'

const actuators_max = 1000

export interface DeviceProof {
  readonly actuator_id: string
  readonly safe: boolean
  readonly why?: string
}

export async function makeDevicesSafe(
  context: OperationContext,
  scope_id: string,
  scope: 'device' | 'tenant',
  wait_ms: number,
): Promise<readonly DeviceProof[]> {
  const { tenant_id, devices, news, signal } = context
  const listed = await context.apart(({ db }) => listDevices(db, tenant_id))
  const covered = listed.filter(({ device_did }) => scope === 'tenant' || device_did === scope_id)
  const actuators = covered.flatMap(({ device_did, actuators }) =>
    actuators.map((name) => partId({ device_did, name })),
  )
  const run: Parameters<typeof assertSafeState>[0]['run'] = (work) => context.apart(({ db }) => work(db))
  return Promise.all(
    actuators.slice(0, actuators_max).map(async (actuator_id): Promise<DeviceProof> => {
      const proof = await assertSafeState(
        { devices, news, run },
        {
          tenant_id,
          actuator_id,
          command_id: commandId(context, actuator_id),
          wait_ms,
          signal,
          ...whoAsks(context),
        },
      )
      return proof.confirmed ? { actuator_id, safe: true } : { actuator_id, safe: false, why: proof.why }
    }),
  )
}

function whoAsks({ caller, invoke }: OperationContext) {
  return { by_did: caller.did, correlation_id: invoke.correlation_id }
}

/** One command for each actuator of a stop, the same however often it is sent. */
function commandId({ record_id }: OperationContext, actuator_id: string): string {
  return uuidOf(`${record_id} ${actuator_id}`)
}
