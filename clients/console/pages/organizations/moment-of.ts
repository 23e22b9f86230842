/** The value of a date-time field as UTC; browsers omit seconds that are zero. */
export function momentOf(typed: string): string {
  return `${/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed}Z`
}
