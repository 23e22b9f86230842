// When a saved view runs by itself: daily, weekly or monthly, at a time of day in a time zone.
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Text } from '@svc/contract/schema'
import { Cron } from 'croner'
import { type Static, Type } from 'typebox'

const day_max = { daily: 0, weekly: 7, monthly: 28 } as const

export const Schedule = Closed(
  {
    every: described(OneOf('daily', 'weekly', 'monthly'), 'How often it runs.'),
    at: Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description: 'Time of day, such as 07:30.' }),
    day: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 28,
        description: 'Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1.',
      }),
    ),
    time_zone: Type.Optional(Text(64, { description: 'Such as Europe/Berlin. Default UTC.' })),
    mail_to: Type.Optional(
      described(
        ListOf(Text(128), 0, 10),
        'Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched.',
      ),
    ),
  },
  { description: 'When it runs by itself, with the rights of whoever set it, at that moment.' },
)
export type Schedule = Static<typeof Schedule>

/** The first time after this one; of a time that a change of clocks skips, the next that exists. */
export function nextTime({ every, at, day = 1, time_zone = 'UTC' }: Schedule, after: Date): Date {
  const [hour, minute] = at.split(':').map(Number)
  const days = { daily: '* * *', weekly: `* * ${day % 7}`, monthly: `${day} * *` }[every]
  return new Cron(`${minute} ${hour} ${days}`, { timezone: time_zone, paused: true }).nextRun(after)!
}

/** The beginning of a first run: one interval before it. */
export function intervalBefore({ every }: Schedule, moment: Date): Date {
  const days = { daily: 1, weekly: 7, monthly: 30 }[every]
  return new Date(moment.getTime() - days * 86_400_000)
}

export function requireSchedule({ every, day, time_zone }: Schedule): void {
  if (day !== undefined && day > day_max[every])
    throw misfit(
      'day',
      every === 'daily' ? 'must be absent where it runs daily' : 'must be 1 to 7 where it runs weekly',
    )
  if (time_zone !== undefined && !isTimeZone(time_zone))
    throw misfit('time_zone', 'names no time zone, such as Europe/Berlin')
}

function isTimeZone(time_zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: time_zone }) !== undefined
  } catch {
    return false
  }
}

function misfit(field: string, message: string) {
  return refuse('invalid_payload', `The schedule is invalid: /schedule/${field} ${message}.`, {
    reason: 'invalid schedule',
    faults: [{ pointer: `/schedule/${field}`, message }],
  })
}
