/** What a field for date and time holds, as UTC: browsers leave out seconds that are zero. */
export function momentOf(typed: string): string {
  return `${/T\d\d:\d\d$/.test(typed) ? `${typed}:00` : typed}Z`
}
