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
