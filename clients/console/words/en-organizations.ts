// Sentences of the page Organizations.

export const councils = {
  convene: 'Convene a council',
  motions: 'Motions, newest first',
  no_motions: 'No motions match. Convene a council to create one.',
  motion: 'Motion',
  state: 'State',
  level: 'Level',
  of_charter: 'Charter',
  ordinary: 'Ordinary',
  present: 'Present',
  present_of: (present: number, seats: number, needed: number) => `${present} of ${seats}, ${needed} needed`,
  carried_by: (threshold: string) => `Carried by ${threshold}`,
  deadline: 'Deadline',
  verdict: 'Verdict',
  no_verdict: 'none yet',
  votes: (in_favour: number, against: number) => `${in_favour} for, ${against} against`,
  dissents: (count: number) => (count === 1 ? '1 dissent' : `${count} dissents`),
} as const

export const policies = {
  covers: 'What it covers',
  effects: { forbid: 'Forbids', permit: 'Permits' },
  calls: (names: readonly string[]) =>
    names.length === 0
      ? 'calls that meet its conditions'
      : `calls of ${names.join(', ')} that meet its conditions`,
  reason: 'Reason',
  approval: 'Allowed after approval by',
} as const
