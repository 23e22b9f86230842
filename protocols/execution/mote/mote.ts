import { protocol } from '@svc/contract/protocol'
import { actuator_set_state } from './actuator-set-state.ts'
import { list } from './list-devices.ts'
import { sensor_read } from './sensor-read.ts'

export const mote = protocol({
  id: 'MOTE',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Sensors and actuators of devices that speak MQTT, each inside what its device declares safe.',

  operations: { sensor_read, actuator_set_state, list },
})
