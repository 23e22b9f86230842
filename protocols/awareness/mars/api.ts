// What others may use of mars.
export { type DueProbe, noteProbe, takeDueProbes } from './endpoint-health.ts'
export { registerEntry } from './registration.ts'
