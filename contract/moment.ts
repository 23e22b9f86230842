/** A form that fits is not yet a day that exists, and the database knows no year 0. */
export function isMoment(timestamp: string): boolean {
  const ms = Date.parse(timestamp)
  return (
    timestamp >= '0001' &&
    !Number.isNaN(ms) &&
    new Date(ms).toISOString().slice(0, 19) === timestamp.slice(0, 19)
  )
}
