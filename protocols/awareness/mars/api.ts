// MARS: registering agents and services, finding them, and probing their endpoints.

// Which endpoints are due for a probe, and how its result is stored.
export { type DueProbe, noteProbe, takeDueProbes } from './endpoint-health.ts'
// Adds a signed entry to the registry.
export { registerEntry } from './registration.ts'
