// Dates as numbers: a year is itself, and 3 May 2020 is 2020.0503, so that earlier is smaller.

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const month_form = months.join('|')
const day_first = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (${month_form}),? (\\d{4})\\b`, 'giu')
const month_first = new RegExp(`\\b(${month_form}) (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'giu')
const iso = /\b(\d{4})-(\d{2})-(\d{2})\b/g
const date_form = /^\d{4}(?:\.\d{4})?$/

export function spellDates(text: string): string {
  return text
    .replace(day_first, (_, day, month, year) => spelled(year, months.indexOf(month.toLowerCase()) + 1, day))
    .replace(month_first, (_, month, day, year) =>
      spelled(year, months.indexOf(month.toLowerCase()) + 1, day),
    )
    .replace(iso, (_, year, month, day) => spelled(year, Number(month), day))
}

/** Stands where a text names a day that no month has. */
export const no_such_day = 'no-such-day'

function spelled(year: string, month: number, day: string): string {
  const date = new Date(Date.UTC(Number(year), month - 1, Number(day)))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== Number(day)) return no_such_day
  return `${year}.${String(month).padStart(2, '0')}${day.padStart(2, '0')}`
}

export function isDate(text: string): boolean {
  return date_form.test(text)
}
