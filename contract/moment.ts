/** A well-formed date may not exist, and the database has no year 0. */
export function isMoment(timestamp: string): boolean {
  const ms = Date.parse(timestamp)
  return (
    timestamp >= '0001' &&
    !Number.isNaN(ms) &&
    new Date(ms).toISOString().slice(0, 19) === timestamp.slice(0, 19)
  )
}
