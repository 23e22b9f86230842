import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  ActuatorSetStateInput,
  ActuatorSetStateOutput,
  set_state_ms_max,
  setState,
} from './actuator-set-state.ts'
import { ListInput, ListOutput, listDevices } from './list-devices.ts'
import { actuator_id, sensor_id, thermostat_connected, thermostat_needed } from './scenes.ts'
import { readSensor } from './sensor-read.ts'
import { deadline_ms, SensorReadInput, SensorReadOutput } from './sensor-read-input.ts'

export const mote = protocol({
  id: 'MOTE',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Sensors and actuators of devices that speak MQTT, each inside what its device declares safe.',

  operations: {
    sensor_read: operation({
      summary:
        'Read a sensor: its latest value, those of a window, or the next one, alone or fused with others.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds', 'tokens', 'watts'],
      // It waits for devices: one tenant's silent device must not open the circuit for all tenants.
      acts_outside: true,
      deadline_ms,
      budget_default: { tokens: 5_000, deadline_ms },
      needs: ['devices', 'model', 'change_notifications', 'tokens'],
      input: SensorReadInput,
      output: SensorReadOutput,
      example_needs: thermostat_needed,
      scene: thermostat_connected,
      example: {
        sensor_id,
        mode: 'window',
        from: stand_ins.an_hour_ago,
        to: stand_ins.in_an_hour,
        aggregate: ['mean', 'p95', 'count'],
      },
      handle: readSensor,
    }),
    actuator_set_state: operation({
      summary: 'Set an actuator, inside what its device declares safe, and learn whether it is so.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      acts_outside: true,
      deadline_ms: set_state_ms_max,
      needs: ['devices', 'change_notifications'],
      input: ActuatorSetStateInput,
      output: ActuatorSetStateOutput,
      example_needs: thermostat_needed,
      scene: thermostat_connected,
      example: {
        actuator_id,
        state: { setpoint: 21 },
        confirm: 'readback',
        timeout_ms: 5_000,
        reason: 'It is cold in here.',
      },
      handle: setState,
    }),
    list: operation({
      summary: 'List devices with their sensors and actuators: ranges, last values, and how each stands.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['devices'],
      input: ListInput,
      output: ListOutput,
      example: { limit: 10 },
      handle: listDevices,
    }),
  },
})
