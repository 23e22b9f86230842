// Windows of time as a caveat has them: `09-17`, `09:30-17:00@Europe/Berlin`, `mon-fri 09-17@Europe/Berlin`, `sat,sun 22-06`.

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const day = `(?:${days.join('|')})`
const clock = '(?:[01]\\d|2[0-3])(?::[0-5]\\d)?|24(?::00)?'
const window_form = new RegExp(
  `^(?:(${day}(?:-${day})?(?:,${day}(?:-${day})?){0,6}) )?(${clock})-(${clock})(?:@([A-Za-z0-9_+/-]{1,64}))?$`,
)
const minutes_per_day = 1_440
/** Formats are costly to make. Names are spelled in many ways, so they are bounded. */
const formats_max = 1_000
const formats = new Map<string, Intl.DateTimeFormat>()

export interface TimeWindow {
  /** Of the day on which it begins; all where absent. */
  readonly days?: ReadonlySet<number>
  /** Minutes since midnight: half-open, and over midnight where it ends before it begins. */
  readonly from: number
  readonly to: number
  /** UTC where absent. */
  readonly zone?: string
}

/** Undefined where the text is no window, lasts no time, or names no time zone. */
export function readWindow(text: string): TimeWindow | undefined {
  const [, day_list, from_text, to_text, zone] = window_form.exec(text) ?? []
  if (from_text === undefined || to_text === undefined) return undefined
  const [from, to] = [minutesOf(from_text), minutesOf(to_text)]
  if (from === to || (zone !== undefined && !formatOf(zone))) return undefined
  return { from, to, ...(day_list && { days: daysOf(day_list) }), ...(zone && { zone }) }
}

export function isInWindow({ days: on, from, to, zone }: TimeWindow, now: Date): boolean {
  const { weekday, minute } = localTime(now, zone)
  const isOn = (day_number: number) => !on || on.has((day_number + 7) % 7)
  if (from < to) return isOn(weekday) && minute >= from && minute < to
  return (minute >= from && isOn(weekday)) || (minute < to && isOn(weekday - 1))
}

/** As the end of a sentence. */
export function timeThere(now: Date, { days: on, zone }: TimeWindow): string {
  const { weekday, minute } = localTime(now, zone)
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0'))
  return `it is ${on ? `${days[weekday]} ` : ''}${hours}:${minutes} ${zone ? `in ${zone}` : 'UTC'}`
}

function minutesOf(text: string): number {
  const [hours, minutes = 0] = text.split(':').map(Number)
  return hours! * 60 + minutes
}

/** `fri-mon` goes over the end of the week. */
function daysOf(list: string): ReadonlySet<number> {
  const on = new Set<number>()
  for (const part of list.split(',')) {
    const [first = '', last = first] = part.split('-')
    const end = days.indexOf(last)
    for (let next = days.indexOf(first); ; next = (next + 1) % 7) {
      on.add(next)
      if (next === end) break
    }
  }
  return on
}

function localTime(now: Date, zone: string | undefined): { weekday: number; minute: number } {
  const utc = {
    weekday: now.getUTCDay(),
    minute: Math.floor(now.getTime() / 60_000) % minutes_per_day,
  }
  if (zone === undefined) return utc
  const parts = new Map(
    formatOf(zone)!
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  )
  return {
    weekday: days.indexOf(parts.get('weekday')!.toLowerCase()),
    minute: Number(parts.get('hour')) * 60 + Number(parts.get('minute')),
  }
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const made = formats.get(zone)
  if (made) return made
  // An offset is no zone: it would be wrong for half of the year.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  try {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    const format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone: zone })
    if (formats.size >= formats_max) formats.clear()
    formats.set(zone, format)
    return format
  } catch {
    return undefined
  }
}
