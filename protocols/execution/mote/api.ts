// MOTE: devices, their sensors and actuators.

// Put an actuator into its safe state and prove it.
export { assertSafeState, type SafeStateProof } from './actuator-safe-state.ts'
// Rate-limited alarms about faulty or hostile devices.
export { deviceAlarms } from './device-alarms.ts'
// Counts of devices, and of those heard from recently.
export { countDevices } from './device-figures.ts'
// Store the messages that devices send.
export { takeMessages } from './device-intake.ts'
// The state of a device at a given time.
export { deviceState } from './device-listing.ts'
// The tables of devices, readings and commands.
export { device_migrations } from './device-migrations.ts'
// List the devices of a tenant.
export { type ListedDevice, listDevices } from './device-store.ts'
// Expire commands and delete rows that are past their retention.
export { forgetOldRows, sweepCommands } from './device-sweep.ts'
// MQTT topics of devices, and the ids of their parts.
export { partId, partOf, report_topics } from './device-topic.ts'
